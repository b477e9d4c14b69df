-- 08 · What operators call
--
-- They own the registry and the windows. They have no way to an entry or a consent row: the functions
-- that must touch everybody's rows (a merge, a changed question) give back the topic and nothing about them;
-- figures come from the weekly snapshot. No reply of these functions depends on a live row of a principal, or on an
-- unlisted key that a person's answer coined: two ledgers that differ in one person and have the same snapshot answer
-- every sequence of these calls alike (tests/oracle/test_operators.py). A bare answer (ledger.bare_form) means nothing under another
-- question, so it goes or stays behind; the list is taken from no caller, who could ask by it what was said.

-- ── What they see of the registry ────────────────────────────────────────────────────────────────
-- Listed topics, and the proposals of the weekly snapshot. Every other key is somebody's own word, coined because a
-- person said something about it: a call on it answers as if it had never been coined. So nothing here asks whether
-- an unlisted key has a row, and a proposal is the same whether or not its row is still there.

create function ledger.is_seen(the_key text) returns boolean
  language plpgsql stable as $$
begin
  return exists (select from ledger.topic t where t.key = the_key and t.listed)
      or exists (select from ledger.proposal o where o.topic = the_key);
end $$;
comment on function ledger.is_seen is 'Whether operators see this key: it is listed, or proposed.';

-- A topic as a document: what If-Match is made of, and compared with under the lock. `given`: an operator gave its
-- handling, so that to loosen it is a step.
create function ledger.topic_state(the_key text) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
             'key', the_key, 'question', t.question, 'handling', coalesce(t.handling, 'sealed'),
             'given', t.handling is not null, 'authority', t.authority,
             'reconfirm_after', t.reconfirm_after, 'drop_after', t.drop_after, 'listed', coalesce(t.listed, false),
             'proposed', t.listed is not true and exists (select from ledger.proposal o where o.topic = the_key),
             'aliases', array(select a.alias from ledger.topic_alias a where a.key = the_key order by a.alias))
      from (select) one
      left join ledger.topic t on t.key = the_key);
end $$;

-- A page by key, from the one after `after_key`; of `which` (all, listed, proposed), with `part` somewhere in the
-- key, an alias or the question.
create function ledger.topics_seen(after_key text, most integer, part text, which text) returns setof jsonb
  language plpgsql stable strict security definer rows 100
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return query
    select ledger.topic_state(page.key)
      from (select k.key
              from (select t.key, t.question
                      from ledger.topic t
                     where t.listed and t.key > after_key and which <> 'proposed'
                    union all
                    select o.topic, t.question
                      from ledger.proposal o
                      left join ledger.topic t on t.key = o.topic
                     where t.listed is not true and o.topic > after_key and which <> 'listed') k
             where part = ''
                or strpos(k.key, translate(part, ' ', '_')) > 0
                or strpos(lower(k.question), part) > 0
                or exists (select from ledger.topic_alias a
                            where a.key = k.key and strpos(a.alias, translate(part, ' ', '_')) > 0)
             order by k.key
             limit most) page
     order by page.key;
end $$;

-- The topic that a label names; null where operators see none.
create function ledger.topic_read(label text) returns jsonb
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  the_key text := (ledger.keys_of(array[label]))[1];
begin
  return case when ledger.is_seen(the_key) then ledger.topic_state(the_key) end;
end $$;

-- Which of these labels are taken: a key that operators see, or an alias.
create function ledger.labels_taken(labels text[]) returns text[]
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return array(
    select l.label
      from unnest(labels) with ordinality as l(label, ord)
     where ledger.is_seen(l.label) or exists (select from ledger.topic_alias a where a.alias = l.label)
     order by l.ord);
end $$;

-- The aliases that lead to a key, seen or not: only operators put them.
create function ledger.aliases_of(the_key text) returns text[]
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return array(select a.alias from ledger.topic_alias a where a.key = the_key order by a.alias);
end $$;

-- ── Steps ────────────────────────────────────────────────────────────────────────────────────────

-- Takes answers on a topic away from everybody; all of them, or the bare ones. The audit of each says that
-- it happened. What a legal hold keeps in place is hidden from all agents, and goes when the hold is lifted.
create function ledger.drop_answers(the_topic text, all_of_them boolean) returns void
  language plpgsql as $$
declare
  whose   uuid[];
  waiting uuid[];
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

  whose := array(select e.principal from ledger.entry e
                  where e.topic = the_topic and (all_of_them or ledger.is_bare(e.answer)));
  waiting := array(select w.principal from ledger.pending w
                    where w.topic = the_topic and (all_of_them or ledger.is_bare(w.answer)));
  perform ledger.postpone(whose, array_fill(the_topic, array[cardinality(whose)]), false);
  perform ledger.postpone(waiting, array_fill(the_topic, array[cardinality(waiting)]), true);
end $$;

-- Sets the fields in `change`, and does what follows for the answers. Loosening the handling that an operator gave
-- withholds the topic for everybody who has an answer, until they release it: also when it is unlisted before or in
-- between, and what was given once is never taken back to null. To give a first handling is no loosening.
create function ledger.topic_put(the_key text, change jsonb) returns jsonb
  language plpgsql as $$
declare
  old ledger.topic;
  new ledger.topic;
begin
  insert into ledger.topic (key) values (the_key) on conflict do nothing;
  select * into old from ledger.topic t where t.key = the_key;
  new := jsonb_populate_record(old, change - 'key');
  new.handling := coalesce(new.handling, old.handling);

  update ledger.topic t
     set question = new.question, handling = new.handling, authority = new.authority,
         reconfirm_after = new.reconfirm_after, drop_after = new.drop_after, listed = new.listed
   where t.key = the_key;

  if old.listed and not new.listed then
    perform ledger.remember(the_key, array(select a.alias from ledger.topic_alias a where a.key = the_key) || the_key);
  end if;
  if ledger.strictness(new.handling) < ledger.strictness(old.handling) then
    perform ledger.withhold_from_all(the_key);
  end if;
  if new.handling = 'forbidden' then
    perform ledger.drop_answers(the_key, true);
  elsif new.question is distinct from old.question then
    perform ledger.drop_answers(the_key, false);
  end if;
  return ledger.topic_state(the_key);
end $$;

create function ledger.withhold_from_all(the_topic text) returns void
  language plpgsql as $$
begin
  insert into ledger.withheld (principal, topic)
  select h.principal, the_topic
    from (select e.principal from ledger.entry e where e.topic = the_topic
          union
          select w.principal from ledger.pending w where w.topic = the_topic) h
   order by h.principal
  on conflict do nothing;
  perform ledger.lay_all('ledger.withheld');
end $$;
comment on function ledger.withhold_from_all is 'Keeps a topic back from all agents, for everybody who has an answer.';

-- Creates a listed topic. Where the key was coined, or listed once, it becomes what is given here: the reply is that
-- of a key never seen. LG010: operators see such a topic already, or the label leads to another.
create function ledger.topic_create(the_key text, fields jsonb) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  if exists (select from ledger.topic t where t.key = the_key and t.listed)
     or exists (select from ledger.topic_alias a where a.alias = the_key) then
    raise exception 'the label is taken' using errcode = 'LG010';
  end if;
  return ledger.topic_put(
    the_key,
    '{"question": null, "handling": "open", "authority": null, "reconfirm_after": null, "drop_after": null}'
      || fields || '{"listed": true}');
end $$;

-- Changes a topic. `expected` is what the operator saw of it, and of the default windows where the step leans on
-- them (LG004 where it has changed since); `change` holds the fields to set.
create function ledger.topic_change(the_key text, expected jsonb, change jsonb) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  perform ledger.check_expected(the_key, expected);
  return ledger.topic_put(the_key, change);
end $$;

create function ledger.check_expected(the_key text, expected jsonb) returns void
  language plpgsql as $$
begin
  if not ledger.is_seen(the_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if not (ledger.topic_state(the_key)
          || (select jsonb_build_object('default', jsonb_build_array(s.reconfirm_after, s.drop_after))
                from ledger.setting s where s.only_row)) @> expected then
    raise exception 'the topic has changed' using errcode = 'LG004';
  end if;
end $$;

-- ── Labels, and merges ───────────────────────────────────────────────────────────────────────────

-- The labels lead to the key no more, or their slips do not: captures under them look there all the same for what was
-- taken away.
create function ledger.remember(the_key text, labels text[]) returns void
  language plpgsql as $$
begin
  insert into ledger.former_key (label, key)
  select l.label, k.key
    from unnest(labels) l(label)
   cross join (select the_key as key
               union all
               select r.key from ledger.retired_key r where r.merged_into = the_key) k
   order by l.label, k.key
  on conflict do nothing;
end $$;

-- From now on the label leads to the topic, and what led to the label does too.
create function ledger.lead(label text, the_key text) returns void
  language plpgsql as $$
begin
  perform ledger.remember(a.key, array[label]) from ledger.topic_alias a where a.alias = label and a.key <> the_key;
  insert into ledger.topic (key) values (the_key) on conflict do nothing;
  update ledger.topic_alias a set key = the_key where a.key = label;
  insert into ledger.topic_alias as a (alias, key) values (label, the_key)
  on conflict (alias) do update set key = excluded.key;
end $$;

-- Another label for a topic. A key that was coined and that operators do not see is merged into the topic: no answer
-- is lost, and the reply is that of a key never coined. Whoever withholds what nobody had coined under that label
-- withholds the topic from now on. LG005: the label is a topic that they see (merge it), or was one and stays where it
-- went, or is handled more strictly (list it, and merge it: the stricter handling holds).
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
  if not ledger.is_seen(the_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if ledger.is_seen(new_alias) then
    raise exception 'the alias is a topic' using errcode = 'LG005';
  end if;
  if exists (select from ledger.retired_key r where r.key = new_alias and r.merged_into <> the_key and r.fixed) then
    raise exception 'the alias was a topic' using errcode = 'LG005';
  end if;
  if (select ledger.strictness(t.handling) from ledger.topic t where t.key = new_alias)
     > (select ledger.strictness(coalesce(t.handling, 'sealed')) from (select) one left join ledger.topic t on t.key = the_key) then
    raise exception 'the alias was a topic that is handled more strictly' using errcode = 'LG005';
  end if;
  if exists (select from ledger.topic t where t.key = new_alias) then
    perform ledger.merge_topic(new_alias, the_key, false);
  else
    perform ledger.merge_withheld(new_alias, the_key);
    perform ledger.lead(new_alias, the_key);
  end if;
end $$;

-- A key that an alias took in is a key again: what a legal hold left under it has a topic.
create function ledger.alias_delete(old_alias text, target text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  the_key text;
begin
  perform ledger.lock_whole();
  the_key := (ledger.keys_of(array[target]))[1];
  if not ledger.is_seen(the_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if exists (select from ledger.retired_key r where r.key = old_alias and r.fixed) then
    raise exception 'the alias was a topic' using errcode = 'LG005';
  end if;
  delete from ledger.topic_alias a where a.alias = old_alias and a.key = the_key;
  if not found then
    raise exception 'no such alias' using errcode = 'LG003';
  end if;
  perform ledger.remember(the_key, array[old_alias]);
  insert into ledger.topic (key, handling)
  select r.key, r.handling from ledger.retired_key r where r.key = old_alias
   order by ledger.strictness(r.handling) desc nulls last
   limit 1
  on conflict do nothing;
end $$;

-- Merges one topic into another, both seen; gives the one that stays.
create function ledger.topics_merge(old_key text, expected jsonb, new_key text) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  perform ledger.check_expected(old_key, expected);
  new_key := (ledger.keys_of(array[new_key]))[1];
  if new_key = old_key then
    raise exception 'a topic can not be merged into itself' using errcode = 'LG005';
  end if;
  if not ledger.is_seen(new_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  perform ledger.merge_topic(old_key, new_key, true);
  return ledger.topic_state(new_key);
end $$;

-- The stricter handling that an operator gave, the union of what is withheld, the newer answer. Bare answers stay
-- behind, that is: they go. What was deleted under the old key stays deleted: a capture looks for the marks of
-- retired keys too. Who is under a legal hold and has both answers keeps both, till it is lifted: the one under the
-- old key can't be seen, since there is no such topic.
--
-- An old key that operators do not see (`seen` false) is handled no more strictly (alias_put), so it changes nothing that
-- they see; as a label it can be moved and deleted like any other.
create function ledger.merge_topic(old_key text, new_key text, seen boolean) returns void
  language plpgsql as $$
declare
  old_handling text := (select t.handling from ledger.topic t where t.key = old_key);
  new_handling text := (select t.handling from ledger.topic t where t.key = new_key);
begin
  if ledger.strictness(old_handling) > ledger.strictness(coalesce(new_handling, 'sealed')) then
    new_handling := old_handling;
  end if;

  perform ledger.drop_answers(old_key, false);
  perform ledger.merge_answers('ledger.entry', old_key, new_key);
  perform ledger.merge_answers('ledger.pending', old_key, new_key);
  -- what waits for their yes is out of date where a newer answer stands
  delete from ledger.pending w using ledger.entry e
   where w.topic = new_key and e.topic = new_key and e.principal = w.principal and e.as_of > w.as_of
     and not exists (select from ledger.legal_hold h where h.principal = w.principal);
  if new_handling = 'forbidden' then
    perform ledger.drop_answers(new_key, true);
  end if;

  perform ledger.lay_all('ledger.entry');
  perform ledger.lay_all('ledger.pending');
  perform ledger.merge_postponed(old_key, new_key);
  perform ledger.merge_withheld(old_key, new_key);

  perform ledger.lead(old_key, new_key);
  update ledger.topic t set handling = new_handling where t.key = new_key and t.handling is distinct from new_handling;
  delete from ledger.topic t where t.key = old_key;
  insert into ledger.retired_key as r (key, merged_into, fixed, handling)
  select k.key, new_key, bool_or(k.fixed), (array_agg(k.handling order by ledger.strictness(k.handling) desc nulls last))[1]
    from (select old_key as key, seen as fixed, old_handling as handling
          union all
          select o.key, o.fixed, o.handling from ledger.retired_key o where o.merged_into = old_key) k
   where k.key <> new_key
   group by k.key
  on conflict (key, merged_into) do update
    set fixed = r.fixed or excluded.fixed, handling = coalesce(r.handling, excluded.handling);
  delete from ledger.retired_key r where r.merged_into = old_key;
  insert into ledger.former_key (label, key)
  select f.label, new_key from ledger.former_key f where f.key = old_key order by f.label
  on conflict do nothing;
  delete from ledger.outcome o where o.topic = old_key;
  delete from ledger.snapshot s where s.topic = old_key;
  delete from ledger.proposal o where o.topic = old_key;
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

-- What is postponed goes with the answer.
create function ledger.merge_postponed(old_key text, new_key text) returns void
  language plpgsql as $$
begin
  with taken as (
    delete from ledger.legal_hold h where old_key = any (h.postponed || h.postponed_waiting) returning h.*
  )
  insert into ledger.legal_hold (principal, erase_asked, postponed, postponed_waiting)
  select t.principal, t.erase_asked,
         case when exists (select from ledger.entry e where e.principal = t.principal and e.topic = old_key)
              then t.postponed else ledger.united(array_replace(t.postponed, old_key, new_key), '{}') end,
         case when exists (select from ledger.pending w where w.principal = t.principal and w.topic = old_key)
              then t.postponed_waiting else ledger.united(array_replace(t.postponed_waiting, old_key, new_key), '{}') end
    from taken t
   order by t.principal;
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
-- which the sweep does not take away. Of two at once the second sees what the first has put. `expected` is what the
-- operator saw; LG004 where it has changed since.
create function ledger.setting_change(expected jsonb, change jsonb) returns jsonb
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
   where s.only_row and to_jsonb(s) @> expected and jsonb_populate_record(s, change) is distinct from s;
  if not found and not ledger.setting_read() @> expected then
    raise exception 'the settings have changed' using errcode = 'LG004';
  end if;
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

-- ── The host's own credentials ───────────────────────────────────────────────────────────────────
-- A backend that asks for tokens shows a credential that may be good for months, so there is a way to end one before
-- its time. It is signed like any token, and its id stands in ledger.credential besides: whenever it is shown, its id is
-- looked up here, and one that is not there, was revoked or is over opens nothing.
--
-- The look-up runs on the operators' login, the one of the serving surfaces that has no way to a row of a principal: who asks
-- for tokens comes no nearer to one, and the logins of agents and captures, which see most of the traffic, tell nothing
-- of credentials. No id opens anything by itself: the key that signs never comes here.

create function ledger.credential_put(the_id uuid, days integer) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  insert into ledger.credential (id, issued_on, expires_on) values (the_id, ledger.today(), ledger.today() + days);
end $$;

create function ledger.credential_stands(the_id uuid) returns boolean
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return exists (
    select from ledger.credential c where c.id = the_id and not c.revoked and c.expires_on >= ledger.today());
end $$;

create function ledger.credentials() returns table (id uuid, issued_on date, expires_on date, revoked boolean)
  language plpgsql stable strict security definer rows 20
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select c.id, c.issued_on, c.expires_on, c.revoked
      from ledger.credential c
     where c.expires_on >= ledger.today()
     order by c.issued_on, c.id;
end $$;

create function ledger.credential_revoke(the_id uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  if not exists (select from ledger.credential c where c.id = the_id and c.expires_on >= ledger.today()) then
    raise exception 'no such credential' using errcode = 'LG003';
  end if;
  update ledger.credential c set revoked = true where c.id = the_id and not c.revoked;
end $$;

-- ── Figures ──────────────────────────────────────────────────────────────────────────────────────

-- What the weekly snapshot says of a topic, or ('') of all: the day it was drawn, and rows of [reconfirm_after,
-- drop_after, age, n]. The windows are the topic's own (null: the default); `age` is how old, in whole days, the
-- youngest answer of that week is today. Every figure that operators get is made of these rows, so that no live row
-- shows in one.
create function ledger.snapshot_read(the_topic text) returns jsonb
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
declare
  drawn_on date := (select m.snapshot_on from ledger.sweep_mark m where m.only_row);
begin
  return jsonb_build_object('drawn_on', drawn_on, 'weeks', coalesce((
    select jsonb_agg(jsonb_build_array(w.reconfirm_after, w.drop_after, w.age, w.n)
                     order by w.reconfirm_after, w.drop_after, w.age)
      from (select t.reconfirm_after, t.drop_after, s.age_weeks * 7 + coalesce(ledger.age(drawn_on), 0) as age,
                   sum(s.n) as n
              from ledger.snapshot s
              join ledger.topic t on t.key = s.topic
             where the_topic in ('', s.topic)
             group by 1, 2, 3) w), '[]'));
end $$;

-- ── A sweep that an operator asks for ────────────────────────────────────────────────────────────

-- The day of the sweep; null where one was asked for in this hour already. The row's own lock lets one through.
create function ledger.sweep_ask() returns date
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  today date    := ledger.today();
  hour  integer := ledger.hour();
begin
  perform ledger.lock_in_common();
  update ledger.sweep_mark m
     set asked_on = today, asked_hour = hour
   where m.only_row and (m.asked_on, m.asked_hour) is distinct from (today, hour);
  return case when found then today end;
end $$;

-- ── Legal holds ──────────────────────────────────────────────────────────────────────────────────

create function ledger.hold_place(p uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  changed integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  insert into ledger.legal_hold (principal) values (p) on conflict do nothing;
  get diagnostics changed = row_count;
  perform ledger.note(p, 'hold_placed', changed);
  perform ledger.name_nobody();
end $$;

-- Lifts a hold and completes what waited for it: an erasure, or the end of answers that was postponed, of those whose
-- topic was merged away or forbidden meanwhile, and of what waits beside a newer answer.
create function ledger.hold_lift(p uuid, mark_all uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  was   record;
  moved record;
  gone  text[];
  n     integer := 0;
  more  integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  delete from ledger.legal_hold h where h.principal = p
  returning h.erase_asked, h.postponed, h.postponed_waiting into was;
  if not found then
    perform ledger.name_nobody();
    return;
  end if;
  perform ledger.note(p, 'hold_lifted', 1);
  if was.erase_asked then
    perform ledger.erase_now(p, mark_all);
    perform ledger.name_nobody();
    return;
  end if;

  -- what was postponed
  gone := array(select e.topic from ledger.entry e where e.principal = p and e.topic = any (was.postponed));
  if gone <> '{}' then
    perform ledger.lay_entries(p, '{}', '{}', null, gone);
    n := cardinality(gone);
  end if;
  delete from ledger.pending w where w.principal = p and w.topic = any (was.postponed_waiting);
  get diagnostics more = row_count;
  n := n + more;

  -- what a merge left under the old key goes to the new one, where nothing newer is
  for moved in
    select e.topic, e.answer, e.as_of, ledger.keys_of(array[e.topic]) as led
      from ledger.entry e
     where e.principal = p and exists (select from ledger.topic_alias a where a.alias = e.topic)
  loop
    if not exists (select from ledger.entry e where e.principal = p and e.topic = moved.led[1] and e.as_of >= moved.as_of) then
      perform ledger.lay_entries(p, moved.led, array[moved.answer], moved.as_of, '{}');
    end if;
  end loop;
  for moved in
    delete from ledger.pending w
     where w.principal = p and exists (select from ledger.topic_alias a where a.alias = w.topic)
    returning w.answer, w.as_of, (ledger.keys_of(array[w.topic]))[1] as led
  loop
    delete from ledger.pending w where w.principal = p and w.topic = moved.led and w.as_of < moved.as_of;
    insert into ledger.pending (principal, topic, answer, as_of)
    values (p, moved.led, moved.answer, moved.as_of)
    on conflict do nothing;
  end loop;

  -- what has no topic any more
  gone := array(select e.topic
                  from ledger.entry e
                  left join ledger.topic t on t.key = e.topic
                 where e.principal = p and (t.key is null or t.handling = 'forbidden'));
  if gone <> '{}' then
    perform ledger.lay_entries(p, '{}', '{}', null, gone);
    n := n + cardinality(gone);
  end if;
  delete from ledger.pending w
   where w.principal = p
     and (not exists (select from ledger.topic t where t.key = w.topic and t.handling is distinct from 'forbidden')
          or exists (select from ledger.entry e where e.principal = p and e.topic = w.topic and e.as_of > w.as_of));
  get diagnostics more = row_count;
  perform ledger.lay('ledger.pending', p);
  -- what is withheld under the old key is withheld under the new one
  with old as (
    delete from ledger.withheld w using ledger.topic_alias a
     where w.principal = p and a.alias = w.topic
    returning a.key
  )
  insert into ledger.withheld (principal, topic) select distinct p, o.key from old o on conflict do nothing;
  if exists (select from ledger.withheld w where w.principal = p) then
    perform ledger.lay('ledger.withheld', p);
  end if;
  perform ledger.note(p, 'dropped', n + more);
  perform ledger.name_nobody();
end $$;
