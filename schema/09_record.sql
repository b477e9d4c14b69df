-- 09 · The record: what was taken away, for a database that comes back from a backup
--
-- What was revoked, objected to, withheld, held, deleted or erased and still stands is also kept in a *record*
-- outside this database (src/ledger/record), as keyed hashes and days, without a word. It is a projection of rows that
-- are here anyway: the application reads them by the functions below, puts a mark (02, barrier) in the place of each
-- topic's key, and unites them with the record once a taking is committed; before something is given back its row is
-- taken out of the record first. So the record is always contained in this database, unless the database went back
-- to an earlier state: then setting.record_ahead is set, agents get nothing (05), captures are refused (06, LG012), and
-- `answer-ledger reconcile` applies what the record says.
--
-- Where the record says that something stands under a key that this database lost, the mark stands in the place of the
-- key: `_` and the mark's digits, which no label can lead to. It is compared with the marks of what is captured.

create function ledger.mark_in(name text) returns uuid
  language sql immutable parallel safe
  return case when starts_with(name, '_') then replace(substr(name, 2), '_', '-')::uuid else null::uuid end;
comment on function ledger.mark_in is 'The mark that stands in the place of a key; null where the key itself stands.';

create function ledger.in_place(the_mark uuid) returns text
  language sql immutable parallel safe
  return '_' || replace(the_mark::text, '-', '_');

-- ── What stands ──────────────────────────────────────────────────────────────────────────────────

-- Of these principals. A topic that is withheld stands under each of its names and labels: under one of them it was
-- withheld before a merge, or before the label led there. `topic` is '' where the row is about none, or a mark says what it is about.
create function ledger.standing_of(whose uuid[])
  returns table (principal uuid, what text, topic text, mark uuid, day date)
  language plpgsql stable as $$
#variable_conflict use_column
declare
  none constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  return query
    select c.principal, 'revoked', '', none, c.decided_on
      from ledger.consent c where c.principal = any (whose) and c.decision = 'revoked'
    union all
    select o.principal, 'objected', '', none, null from ledger.objection o where o.principal = any (whose)
    union all
    select h.principal, 'held', '', none, null from ledger.legal_hold h where h.principal = any (whose)
    union all
    select h.principal, 'erase_asked', '', none, null
      from ledger.legal_hold h where h.principal = any (whose) and h.erase_asked
    union all
    select w.principal, 'withheld', case when ledger.mark_in(n.name) is null then n.name else '' end,
           coalesce(ledger.mark_in(n.name), none), null
      from ledger.withheld w
      cross join lateral (select w.topic as name
                          union all
                          select r.key from ledger.retired_key r where r.merged_into = w.topic
                          union all
                          select a.alias from ledger.topic_alias a where a.key = w.topic) n
     where w.principal = any (whose)
    union all
    select b.principal, b.what, '', b.mark, b.not_before from ledger.barrier b where b.principal = any (whose);
end $$;

create function ledger.record_standing(p uuid) returns table (what text, topic text, mark uuid, day date)
  language plpgsql strict security definer rows 10
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
begin
  perform ledger.name_principal(p);
  return query select s.what, s.topic, s.mark, s.day from ledger.standing_of(array[p]) s;
  perform ledger.name_nobody();
end $$;

-- Of everybody: a page of so many principals, from the one after `after` on. No answer and no entry is among it.
create function ledger.record_page(after uuid, most integer)
  returns table (principal uuid, what text, topic text, mark uuid, day date)
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  whose uuid[];
begin
  whose := array(
    select distinct x.principal
      from ((select distinct c.principal from ledger.consent c where c.principal > after and c.decision = 'revoked' order by 1 limit most)
            union all
            (select o.principal from ledger.objection o where o.principal > after order by 1 limit most)
            union all
            (select h.principal from ledger.legal_hold h where h.principal > after order by 1 limit most)
            union all
            (select distinct w.principal from ledger.withheld w where w.principal > after order by 1 limit most)
            union all
            (select distinct b.principal from ledger.barrier b where b.principal > after order by 1 limit most)) x
     order by x.principal
     limit most);
  return query select s.* from ledger.standing_of(whose) s;
end $$;

-- Who withholds a topic: after a step of an operator that withheld it for many.
create function ledger.record_withholding(the_topic text) returns setof uuid
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  return query select w.principal from ledger.withheld w where w.topic = the_topic order by w.principal;
end $$;

-- The topic that a label leads to, and then all its names and labels.
create function ledger.record_names(label text) returns setof text
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  the_key text := (ledger.keys_of(array[label]))[1];
begin
  return query
    select the_key
    union all
    select r.key from ledger.retired_key r where r.merged_into = the_key
    union all
    select a.alias from ledger.topic_alias a where a.key = the_key;
end $$;

-- The registry's restrictions and merges: `what` stands for `key`, or leads it to `into_key`. A handling holds those that
-- are less strict, and stands for every name of its topic.
create function ledger.record_registry() returns table (what text, key text, into_key text)
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select h.what, n.name, ''
      from ledger.topic t
      cross join lateral (select t.key as name
                          union all
                          select r.key from ledger.retired_key r where r.merged_into = t.key) n
      cross join unnest(array['sealed', 'confirm', 'forbidden']) h(what)
     where ledger.strictness(t.handling) >= ledger.strictness(h.what)
    union all
    select 'unlisted', n.name, ''
      from ledger.topic t
      cross join lateral (select t.key as name
                          union all
                          select r.key from ledger.retired_key r where r.merged_into = t.key) n
     where t.handling is not null and not t.listed
    union all
    select 'led', r.key, r.merged_into from ledger.retired_key r
    union all
    select 'merged', r.key, r.merged_into from ledger.retired_key r where r.fixed;
end $$;

-- ── How far the two agree ────────────────────────────────────────────────────────────────────────

create function ledger.record_state() returns table (mark uuid, ahead boolean, oldest date)
  language plpgsql stable strict security definer rows 1
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select m.record_mark, s.record_ahead, ledger.oldest_day()
      from ledger.sweep_mark m
      join ledger.setting s on s.only_row
     where m.only_row;
end $$;
comment on function ledger.record_state is 'The mark of the last sweep; whether agents get nothing; the day up to which barriers have expired.';

create function ledger.record_renew(new_mark uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  update ledger.sweep_mark m set record_mark = new_mark where m.only_row;
end $$;

create function ledger.record_is_ahead(is_ahead boolean) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  update ledger.setting s set record_ahead = is_ahead where s.only_row and s.record_ahead is distinct from is_ahead;
end $$;

-- ── What `reconcile` does, as the owner of the database ──────────────────────────────────────────

create function ledger.record_keys() returns setof text
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return query
    select t.key from ledger.topic t
    union
    select a.alias from ledger.topic_alias a
    union
    select r.key from ledger.retired_key r
    union
    select w.topic from ledger.withheld w;
end $$;
comment on function ledger.record_keys is 'Every name that a mark may be of.';

create function ledger.record_topics(p uuid) returns setof text
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.name_principal(p);
  return query
    select e.topic from ledger.entry e where e.principal = p
    union
    select w.topic from ledger.pending w where w.principal = p;
  perform ledger.name_nobody();
end $$;
comment on function ledger.record_topics is 'The topics of all that they said.';

create function ledger.record_merge(old_key text, new_key text, stays boolean) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  if exists (select from ledger.topic t where t.key = old_key) and exists (select from ledger.topic t where t.key = new_key) then
    perform ledger.merge_topic(old_key, new_key, stays);
    return;
  end if;
  insert into ledger.retired_key as r (key, merged_into, fixed) values (old_key, new_key, stays)
  on conflict (key, merged_into) do update set fixed = r.fixed or excluded.fixed;
  if ledger.mark_in(old_key) is null and exists (select from ledger.topic t where t.key = new_key) then
    perform ledger.lead(old_key, new_key);
  end if;
end $$;

-- `what` is a handling, or `unlisted`. A key that is not there is put down with it.
create function ledger.record_restrict(the_key text, what text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  about record;
begin
  perform ledger.lock_whole();
  the_key := (ledger.keys_of(array[the_key]))[1];
  select t.handling into about from ledger.topic t where t.key = the_key;
  if what = 'unlisted' then
    if about is null then
      perform ledger.topic_put(the_key, '{"handling": "open"}');
    else
      perform ledger.topic_put(the_key, '{"listed": false}');
    end if;
  elsif coalesce(ledger.strictness(about.handling), 0) < ledger.strictness(what) then
    perform ledger.topic_put(the_key, jsonb_build_object('handling', what));
  end if;
end $$;

-- What the record says of one principal: a list of {what, topic, mark, day, lost}. `topic` is the key that the mark is of,
-- null where this database has no such key. `lost`: it does not stand here. Holds, then what hides, then what deletes; what
-- a hold keeps is postponed (08, holds). What stands here already is not done again.
create function ledger.record_apply(p uuid, rows jsonb) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  one  record;
  held boolean;
  gone text[];
  n    integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);

  -- holds
  for one in select * from jsonb_to_recordset(rows) as r(what text, lost boolean) where r.lost and r.what in ('held', 'erase_asked') loop
    insert into ledger.legal_hold (principal) values (p) on conflict do nothing;
    if one.what = 'erase_asked' then
      delete from ledger.legal_hold h where h.principal = p;
      insert into ledger.legal_hold (principal, erase_asked) values (p, true);
      perform ledger.revoke_a_grant(p);
    else
      perform ledger.note(p, 'hold_placed', 1);
    end if;
  end loop;
  held := exists (select from ledger.legal_hold h where h.principal = p);

  -- what was withheld before an erasure went with it
  if not held and exists (select from jsonb_to_recordset(rows) as r(what text, lost boolean) where r.lost and r.what = 'erased') then
    delete from ledger.withheld w where w.principal = p;
    delete from ledger.consent_history h where h.principal = p;
    insert into ledger.consent_history (principal, decided_on, decision, notice)
    select c.principal, c.decided_on, c.decision, c.notice from ledger.consent c where c.principal = p;
  end if;

  -- what hides
  for one in select * from jsonb_to_recordset(rows) as r(what text, day date, lost boolean) where r.lost and r.what = 'revoked' loop
    delete from ledger.consent c where c.principal = p returning c.notice into one.what;
    insert into ledger.consent (principal, decision, decided_on, notice)
    values (p, 'revoked', one.day, coalesce(one.what, 'v1'));
    insert into ledger.consent_history (principal, decided_on, decision, notice)
    select c.principal, c.decided_on, c.decision, c.notice from ledger.consent c where c.principal = p
    on conflict do nothing;
    perform ledger.lay('ledger.consent_history', p);
    perform ledger.note(p, 'consent_revoked', 1);
  end loop;
  if exists (select from jsonb_to_recordset(rows) as r(what text, lost boolean) where r.lost and r.what = 'objected') then
    insert into ledger.objection (principal) values (p) on conflict do nothing;
    perform ledger.note(p, 'objected', 1);
  end if;
  delete from ledger.withheld w
   where w.principal = p
     and exists (select from jsonb_to_recordset(rows) as r(what text, topic text, mark uuid)
                  where r.what = 'withheld' and r.topic is not null and r.mark = ledger.mark_in(w.topic));
  insert into ledger.withheld (principal, topic)
  select distinct p, coalesce((ledger.keys_of(array[r.topic]))[1], ledger.in_place(r.mark))
    from jsonb_to_recordset(rows) as r(what text, topic text, mark uuid)
   where r.what = 'withheld'
  on conflict do nothing;
  get diagnostics n = row_count;
  perform ledger.note(p, 'withheld', n);

  -- what deletes
  for one in
    select * from jsonb_to_recordset(rows) as r(what text, topic text, mark uuid, day date, lost boolean)
     where r.lost and r.what in ('deleted', 'declined', 'erased', 'said_before')
  loop
    perform ledger.bar(p, one.mark, one.what, one.day);
    continue when one.what = 'said_before' or one.what <> 'erased' and one.topic is null;
    if held then
      -- an erasure waits for the end of the hold, and says so by a row of its own
      if one.what = 'deleted' and exists (select from ledger.entry e where e.principal = p and e.topic = one.topic and e.as_of < one.day) then
        perform ledger.postpone(array[p], array[one.topic], false);
      end if;
      if exists (select from ledger.pending w where w.principal = p and w.topic = one.topic and w.as_of < one.day) then
        perform ledger.postpone(array[p], array[one.topic], true);
      end if;
      continue;
    end if;
    gone := array(
      select e.topic from ledger.entry e
       where e.principal = p and e.as_of < one.day
         and (one.what = 'erased' or one.what = 'deleted' and e.topic = one.topic));
    if gone <> '{}' then
      perform ledger.lay_entries(p, '{}', '{}', null, gone);
    end if;
    delete from ledger.pending w
     where w.principal = p and w.as_of < one.day and (one.what = 'erased' or w.topic = one.topic);
    perform ledger.note(p, case when one.what = 'declined' then 'declined' else one.what end, 1);
  end loop;
  perform ledger.lay('ledger.pending', p);
  perform ledger.lay('ledger.withheld', p);
  perform ledger.name_nobody();
end $$;

-- Without a record nobody knows what was taken away after the backup: every grant becomes a refusal, and whoever has not
-- decided shows no topic (a setting, which the application changes). Gives how many grants there were.
create function ledger.record_is_lost() returns integer
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  n integer;
begin
  perform ledger.lock_whole();
  with granted as (
    delete from ledger.consent c where c.decision = 'granted' returning c.principal, c.notice
  ), revoked as (
    insert into ledger.consent (principal, decision, decided_on, notice)
    select g.principal, 'revoked', ledger.today(), g.notice from granted g order by g.principal
    returning principal, decided_on, decision, notice
  )
  insert into ledger.consent_history (principal, decided_on, decision, notice)
  select r.principal, r.decided_on, r.decision, r.notice from revoked r
  on conflict do nothing;
  get diagnostics n = row_count;
  perform ledger.lay_all('ledger.consent_history');
  update ledger.sweep_mark m set record_mark = null where m.only_row;
  return n;
end $$;
