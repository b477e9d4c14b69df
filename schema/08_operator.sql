-- 08 · What operators call
--
-- They own the registry and the windows. They have no way to an entry or a consent row: the functions
-- that must touch everybody's rows (a merge, a changed question) give back the topic and nothing about them;
-- figures come from the weekly snapshot. A bare answer (ledger.bare_form) means nothing under another
-- question, so it goes or stays behind; the list is taken from no caller, who could ask by it what was said.

create function ledger.topics_all()
  returns table (key text, question text, handling text, authority text, reconfirm_after integer,
                 drop_after integer, listed boolean, aliases text[], proposed boolean)
  language plpgsql stable strict security definer rows 500
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select t.key, t.question, coalesce(t.handling, 'sealed'), t.authority, t.reconfirm_after, t.drop_after, t.listed,
           array(select a.alias from ledger.topic_alias a where a.key = t.key order by a.alias),
           not t.listed and exists (select from ledger.proposal o where o.topic = t.key)
      from ledger.topic t
     order by t.key;
end $$;

-- The row of a topic as a document: what If-Match is made of, and compared with under the lock.
create function ledger.topic_state(t ledger.topic) returns jsonb
  language sql stable
  return jsonb_build_object(
    'key', t.key, 'question', t.question, 'handling', coalesce(t.handling, 'sealed'), 'authority', t.authority,
    'reconfirm_after', t.reconfirm_after, 'drop_after', t.drop_after, 'listed', t.listed);

create function ledger.topic_read(label text) returns jsonb
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return (select ledger.topic_state(t) from ledger.topic t where t.key = (ledger.keys_of(array[label]))[1]);
end $$;

create function ledger.strictness(handling text) returns integer
  language sql immutable
  return array_position(array['open', 'sealed', 'confirm', 'forbidden'], handling);

-- Takes answers on a topic away from everybody; all of them, or the bare ones. The audit of each says that
-- it happened. What a legal hold keeps in place is kept back from all agents instead.
create function ledger.drop_answers(the_topic text, all_of_them boolean) returns void
  language plpgsql as $$
declare
  whose uuid[];
begin
  with dropped as (
    delete from ledger.entry e
     where e.topic = the_topic
       and (all_of_them or ledger.is_bare(e.answer))
       and not exists (select from ledger.legal_hold h where h.principal = e.principal)
    returning e.principal
  ), waiting as (
    delete from ledger.pending w
     where w.topic = the_topic
       and (all_of_them or ledger.is_bare(w.answer))
       and not exists (select from ledger.legal_hold h where h.principal = w.principal)
    returning w.principal
  )
  select array_agg(d.principal)
    into whose
    from (select principal from dropped union all select principal from waiting) d;
  if whose is not null then
    perform ledger.note_all(whose, 'dropped');
  end if;

  insert into ledger.withheld (principal, topic)
  select h.principal, the_topic
    from ledger.legal_hold h
   where exists (select from ledger.entry e
                  where e.principal = h.principal and e.topic = the_topic
                    and (all_of_them or ledger.is_bare(e.answer)))
      or exists (select from ledger.pending w
                  where w.principal = h.principal and w.topic = the_topic
                    and (all_of_them or ledger.is_bare(w.answer)))
   order by h.principal
  on conflict do nothing;
  perform ledger.lay_all('ledger.withheld');
end $$;

-- Changes a topic. `expected` is the row as the operator saw it (LG004 where it has changed since),
-- `change` holds the fields to set. Loosening the handling that an operator gave withholds the topic for
-- everybody who has an entry, until he releases it: also when it is unlisted before or in between, and what was
-- given once is never taken back to null. To give an unlisted topic its first handling is no loosening.
create function ledger.topic_change(the_key text, expected jsonb, change jsonb) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  old ledger.topic;
  new ledger.topic;
begin
  perform ledger.lock_whole();
  select * into old from ledger.topic t where t.key = the_key;
  if not found then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if ledger.topic_state(old) <> expected then
    raise exception 'the topic has changed' using errcode = 'LG004';
  end if;
  new := jsonb_populate_record(old, change - 'key');
  new.handling := coalesce(new.handling, old.handling);

  update ledger.topic t
     set question = new.question, handling = new.handling, authority = new.authority,
         reconfirm_after = new.reconfirm_after, drop_after = new.drop_after, listed = new.listed
   where t.key = the_key;

  if ledger.strictness(new.handling) < ledger.strictness(old.handling) then
    insert into ledger.withheld (principal, topic)
    select h.principal, the_key
      from (select e.principal from ledger.entry e where e.topic = the_key
            union
            select w.principal from ledger.pending w where w.topic = the_key) h
     order by h.principal
    on conflict do nothing;
    perform ledger.lay_all('ledger.withheld');
  end if;
  if new.handling = 'forbidden' then
    perform ledger.drop_answers(the_key, true);
  elsif new.question is distinct from old.question then
    perform ledger.drop_answers(the_key, false);
  end if;
  return ledger.topic_state(new);
end $$;

-- Another label for a topic. Whoever withholds what nobody had coined under that label withholds the topic from now
-- on. LG005: the label is a topic itself (merge it), or was one and stays where it went.
create function ledger.alias_put(new_alias text, target text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  the_key text;
begin
  perform ledger.lock_whole();
  the_key := (ledger.keys_of(array[target]))[1];
  if not exists (select from ledger.topic t where t.key = the_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if exists (select from ledger.topic t where t.key = new_alias) then
    raise exception 'the alias is a topic' using errcode = 'LG005';
  end if;
  if exists (select from ledger.retired_key r where r.key = new_alias and r.merged_into <> the_key) then
    raise exception 'the alias was a topic' using errcode = 'LG005';
  end if;
  insert into ledger.topic_alias as a (alias, key) values (new_alias, the_key)
  on conflict (alias) do update set key = excluded.key;
  perform ledger.merge_withheld(new_alias, the_key);
end $$;

-- Who withholds the one key withholds the other instead; the one too, where a hold keeps an entry under it.
create function ledger.merge_withheld(old_key text, new_key text) returns void
  language plpgsql as $$
begin
  insert into ledger.withheld (principal, topic)
  select w.principal, new_key from ledger.withheld w where w.topic = old_key order by w.principal
  on conflict do nothing;
  if found then
    perform ledger.lay_all('ledger.withheld');
  end if;
  delete from ledger.withheld w
   where w.topic = old_key
     and not exists (select from ledger.entry e where e.principal = w.principal and e.topic = old_key);
end $$;

create function ledger.alias_delete(old_alias text, target text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_whole();
  if exists (select from ledger.retired_key r where r.key = old_alias) then
    raise exception 'the alias was a topic' using errcode = 'LG005';
  end if;
  delete from ledger.topic_alias a where a.alias = old_alias and a.key = (ledger.keys_of(array[target]))[1];
  if not found then
    raise exception 'no such alias' using errcode = 'LG003';
  end if;
end $$;

-- Merges one topic into another: the stricter handling that an operator gave, the union of what is
-- withheld, the newer answer. Bare answers stay behind, that is: they go. What was deleted under the old
-- key stays deleted: a capture looks for the marks of retired keys too. Who is under a legal hold and has both
-- answers keeps both, till it is lifted: the one under the old key can't be seen, since there is no such topic.
create function ledger.topics_merge(old_key text, expected jsonb, new_key text) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  old  ledger.topic;
  into_topic ledger.topic;
begin
  perform ledger.lock_whole();
  select * into old from ledger.topic t where t.key = old_key;
  if not found then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if ledger.topic_state(old) <> expected then
    raise exception 'the topic has changed' using errcode = 'LG004';
  end if;
  new_key := (ledger.keys_of(array[new_key]))[1];
  if new_key = old_key then
    raise exception 'a topic can not be merged into itself' using errcode = 'LG005';
  end if;
  select * into into_topic from ledger.topic t where t.key = new_key;
  if not found then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;

  if ledger.strictness(old.handling) > ledger.strictness(coalesce(into_topic.handling, 'sealed')) then
    into_topic.handling := old.handling;
    update ledger.topic t set handling = old.handling where t.key = new_key;
  end if;

  perform ledger.drop_answers(old_key, false);
  perform ledger.merge_answers('ledger.entry', old_key, new_key);
  perform ledger.merge_answers('ledger.pending', old_key, new_key);
  -- what waits for his yes is out of date where a newer answer stands
  delete from ledger.pending w using ledger.entry e
   where w.topic = new_key and e.topic = new_key and e.principal = w.principal and e.as_of > w.as_of
     and not exists (select from ledger.legal_hold h where h.principal = w.principal);
  if into_topic.handling = 'forbidden' then
    perform ledger.drop_answers(new_key, true);
  end if;

  perform ledger.lay_all('ledger.entry');
  perform ledger.lay_all('ledger.pending');
  perform ledger.merge_withheld(old_key, new_key);

  update ledger.topic_alias a set key = new_key where a.key = old_key;
  delete from ledger.topic t where t.key = old_key;
  insert into ledger.topic_alias (alias, key) values (old_key, new_key);
  update ledger.retired_key r set merged_into = new_key where r.merged_into = old_key;
  insert into ledger.retired_key as r (key, merged_into) values (old_key, new_key)
  on conflict (key) do update set merged_into = excluded.merged_into;
  delete from ledger.outcome o where o.topic = old_key;
  delete from ledger.snapshot s where s.topic = old_key;
  delete from ledger.proposal o where o.topic = old_key;
  return ledger.topic_state(into_topic);
end $$;

create function ledger.merge_answers(tab regclass, old_key text, new_key text) returns void
  language plpgsql as $$
declare
  whose uuid[];
begin
  -- the older of two goes
  execute format(
    'with gone as (
       delete from %1$s a using %1$s b
        where a.principal = b.principal
          and not exists (select from ledger.legal_hold h where h.principal = a.principal)
          and ((a.topic = $1 and b.topic = $2 and a.as_of <= b.as_of)
            or (a.topic = $2 and b.topic = $1 and a.as_of < b.as_of))
       returning a.principal)
     select array_agg(g.principal) from gone g', tab) into whose using old_key, new_key;
  if whose is not null then
    perform ledger.note_all(whose, 'merged');
  end if;
  execute format(
    'update %1$s a set topic = $2
      where a.topic = $1
        and not exists (select from %1$s b where b.principal = a.principal and b.topic = $2)', tab)
    using old_key, new_key;
end $$;

-- ── The deployment's settings ────────────────────────────────────────────────────────────────────

create function ledger.setting_read() returns jsonb
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return (select to_jsonb(s) - 'only_row' from ledger.setting s where s.only_row);
end $$;

-- One statement, and no lock before it: on a row that stays as it is a lock would leave its mark (xmax),
-- which the sweep does not take away. Of two at once the second sees what the first has put.
create function ledger.setting_change(change jsonb) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  update ledger.setting s
     set (reconfirm_after, drop_after, undecided_tier, visible_from, pepper_proof) =
         (select new.reconfirm_after, new.drop_after, new.undecided_tier, new.visible_from,
                 coalesce(s.pepper_proof, new.pepper_proof)
            from jsonb_populate_record(s, change) new)
   where s.only_row and jsonb_populate_record(s, change) is distinct from s;
  return ledger.setting_read();
end $$;
comment on function ledger.setting_change is 'The proof of the pepper is written once and never again.';

create function ledger.schema_version() returns text
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return (select v.version_num from ledger.version v);
end $$;
comment on function ledger.schema_version is 'The last migration that ran; ledger.version is made and kept by the migration runner.';

create function ledger.snapshot_read(the_topic text) returns table (topic text, age_weeks integer, n integer)
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query select s.topic, s.age_weeks, s.n from ledger.snapshot s where s.topic = the_topic order by s.age_weeks;
end $$;

-- ── Legal holds ──────────────────────────────────────────────────────────────────────────────────

create function ledger.hold_place(p uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
  set ledger.principal = ''
as $$
declare
  changed integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  insert into ledger.legal_hold (principal) values (p) on conflict do nothing;
  get diagnostics changed = row_count;
  perform ledger.note(p, 'hold_placed', changed);
end $$;

-- Lifts a hold and completes what waited for it: an erasure, or the end of answers whose topic was forbidden
-- or merged away meanwhile, of bare answers that are withheld, kept or waiting, since their question may have changed, and
-- of what waits beside a newer answer.
create function ledger.hold_lift(p uuid, mark_all uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
  set ledger.principal = ''
as $$
declare
  was   record;
  moved record;
  gone  text[];
  n     integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  delete from ledger.legal_hold h where h.principal = p returning h.erase_asked into was;
  if not found then
    return;
  end if;
  perform ledger.note(p, 'hold_lifted', 1);
  if was.erase_asked then
    perform ledger.erase_now(p, mark_all);
    return;
  end if;
  -- what a merge left under the old key goes to the new one, where nothing newer is
  for moved in
    select e.topic, e.answer, e.as_of, ledger.keys_of(array[e.topic]) as led
      from ledger.entry e
     where e.principal = p and not ledger.is_bare(e.answer)
       and exists (select from ledger.topic_alias a where a.alias = e.topic)
  loop
    if not exists (select from ledger.entry e where e.principal = p and e.topic = moved.led[1] and e.as_of >= moved.as_of) then
      perform ledger.lay_entries(p, moved.led, array[moved.answer], moved.as_of, '{}');
    end if;
  end loop;
  for moved in
    delete from ledger.pending w
     where w.principal = p and not ledger.is_bare(w.answer)
       and exists (select from ledger.topic_alias a where a.alias = w.topic)
    returning w.answer, w.as_of, (ledger.keys_of(array[w.topic]))[1] as led
  loop
    delete from ledger.pending w where w.principal = p and w.topic = moved.led and w.as_of < moved.as_of;
    insert into ledger.pending (principal, topic, answer, as_of)
    values (p, moved.led, moved.answer, moved.as_of)
    on conflict do nothing;
  end loop;
  gone := array(select e.topic
                  from ledger.entry e
                  left join ledger.topic t on t.key = e.topic
                 where e.principal = p
                   and (t.key is null or t.handling = 'forbidden'
                        or ledger.is_bare(e.answer)
                           and exists (select from ledger.withheld w where w.principal = p and w.topic = e.topic)));
  if gone <> '{}' then
    perform ledger.lay_entries(p, '{}', '{}', null, gone);
  end if;
  delete from ledger.pending w
   where w.principal = p
     and (not exists (select from ledger.topic t where t.key = w.topic and t.handling is distinct from 'forbidden')
          or exists (select from ledger.entry e where e.principal = p and e.topic = w.topic and e.as_of > w.as_of)
          or ledger.is_bare(w.answer)
             and exists (select from ledger.withheld k where k.principal = p and k.topic = w.topic));
  get diagnostics n = row_count;
  perform ledger.lay('ledger.pending', p);
  delete from ledger.withheld w  -- the merge has put the new key beside it
   where w.principal = p and exists (select from ledger.topic_alias a where a.alias = w.topic);
  if found then
    perform ledger.lay('ledger.withheld', p);
  end if;
  perform ledger.note(p, 'dropped', n + cardinality(gone));
end $$;
