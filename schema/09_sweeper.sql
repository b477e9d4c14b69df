-- 09 · The sweep
--
-- Deletes what is past its window, draws the weekly snapshot, and stamps anew every row that was
-- written since its last run. An xmin is a clock for whoever watched it; after the re-stamp all those
-- rows carry one, in every table, and lie in key order. Nothing of a principal under a legal hold is
-- deleted. Order: sweep_expired until it gives back zeros, sweep_snapshot, sweep_restamp.

-- A barrier, and the audit, expire with the widest window: no capture that a barrier could stop would
-- be kept any more.
create function ledger.oldest_day() returns date
  language plpgsql stable as $$
begin
  return ledger.today() - greatest(
    (select s.drop_after from ledger.setting s where s.only_row),
    (select max(t.drop_after) from ledger.topic t));
end $$;

-- Where the rows of a table lie that are past their time: at most so many (null: all), of those that lie
-- at `among` (null: of all).
create function ledger.past(tab regclass, among tid[], most integer) returns tid[]
  language plpgsql as $$
declare
  rows text := case tab
    when 'ledger.barrier'::regclass then 'ledger.barrier r where r.not_before <= $3'
    when 'ledger.audit'::regclass then 'ledger.audit r where r.on_day <= $3'
    else format('%s r join ledger.setting s on s.only_row left join ledger.topic t on t.key = r.topic
                 where $4 - r.as_of >= coalesce(t.drop_after, s.drop_after)', tab)
  end;
  found_at tid[];
begin
  execute format(
    'select array(
       select r.ctid from %s
          and not exists (select from ledger.legal_hold h where h.principal = r.principal) %s
        limit $2)', rows, case when among is not null then 'and r.ctid = any ($1)' end)
    into found_at using among, most, ledger.oldest_day(), ledger.today();
  return found_at;
end $$;

create function ledger.sweep_due() returns table (entries integer, pending integer, barriers integer, audit integer)
  language plpgsql strict security definer rows 1
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
begin
  return query
    select cardinality(ledger.past('ledger.entry', null, null)),
           cardinality(ledger.past('ledger.pending', null, null)),
           cardinality(ledger.past('ledger.barrier', null, null)),
           cardinality(ledger.past('ledger.audit', null, null));
end $$;

-- One batch: at most so many of each. Captures wait for the lock, so a table is read before it is taken,
-- and under it only what was found there is looked at again, by its place (the rows of a batch lie side by
-- side, hence the page cost): how long they wait does not grow with the table. What is left of a
-- principal's rows lies as it lay.
create function ledger.sweep_expired(most integer)
  returns table (entries integer, pending integer, barriers integer, audit integer)
  language plpgsql strict security definer rows 1
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
  set random_page_cost = 1
as $$
#variable_conflict use_column
declare
  entries_at  tid[] := ledger.past('ledger.entry', null, most);
  pending_at  tid[] := ledger.past('ledger.pending', null, most);
  barriers_at tid[] := ledger.past('ledger.barrier', null, most);
  audit_at    tid[] := ledger.past('ledger.audit', null, most);
  n_entries   integer;
  n_pending   integer;
  n_barriers  integer;
  n_audit     integer;
  whose       uuid[];
begin
  if entries_at || pending_at || barriers_at || audit_at = '{}' then
    return query select 0, 0, 0, 0;
    return;
  end if;
  perform ledger.lock_whole();
  entries_at  := ledger.past('ledger.entry', entries_at, most);
  pending_at  := ledger.past('ledger.pending', pending_at, most);
  barriers_at := ledger.past('ledger.barrier', barriers_at, most);
  audit_at    := ledger.past('ledger.audit', audit_at, most);
  if entries_at || pending_at || barriers_at || audit_at = '{}' then
    -- another sweep has taken all of them while this one waited; zeros would say that nothing is left
    entries_at  := ledger.past('ledger.entry', null, most);
    pending_at  := ledger.past('ledger.pending', null, most);
    barriers_at := ledger.past('ledger.barrier', null, most);
    audit_at    := ledger.past('ledger.audit', null, most);
  end if;

  delete from ledger.barrier b where b.ctid = any (barriers_at);
  get diagnostics n_barriers = row_count;
  delete from ledger.audit a where a.ctid = any (audit_at);
  get diagnostics n_audit = row_count;
  with gone_entries as (
    delete from ledger.entry e where e.ctid = any (entries_at) returning e.principal
  ), gone_pending as (
    delete from ledger.pending w where w.ctid = any (pending_at) returning w.principal
  )
  select (select count(*) from gone_entries), (select count(*) from gone_pending),
         (select array_agg(g.principal)
            from (select principal from gone_entries union all select principal from gone_pending) g)
    into n_entries, n_pending, whose;
  if whose is not null then
    perform ledger.note_all(whose, 'expired');
  end if;
  return query select n_entries, n_pending, n_barriers, n_audit;
end $$;

-- What operators may see, once a week: listed topics by age, rounded to 5, none below 5 principals;
-- and which unlisted topics 5 principals have. True when it was drawn.
create function ledger.sweep_snapshot() returns boolean
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  if (select m.snapshot_on from ledger.sweep_mark m) > ledger.today() - 7 then
    return false;
  end if;
  delete from ledger.snapshot;
  insert into ledger.snapshot (topic, age_weeks, n)
  select e.topic, ledger.age(e.as_of) / 7, round(count(*) / 5.0) * 5
    from ledger.entry e
    join ledger.topic t on t.key = e.topic and t.listed
   where not exists (select from ledger.legal_hold h where h.principal = e.principal and h.erase_asked)
   group by e.topic, ledger.age(e.as_of) / 7
  having count(*) >= 5
   order by 1, 2;
  delete from ledger.proposal;
  insert into ledger.proposal (topic)
  select e.topic
    from ledger.entry e
    join ledger.topic t on t.key = e.topic and not t.listed
   where not exists (select from ledger.legal_hold h where h.principal = e.principal and h.erase_asked)
   group by e.topic
  having count(*) >= 5
   order by 1;
  update ledger.sweep_mark set snapshot_on = ledger.today();
  return true;
end $$;

-- Whether a row was written since the last re-stamp, which left its own stamp on every other: also by a
-- transaction that had its number already and wrote later. Frozen rows past a wraparound have a negative age.
-- Another's xmax is the mark of one who locked the row, or took back what he had done to it: a clock as well.
create function ledger.written_since(row_xmin xid, row_xmax xid, horizon xid8, stamp xid8) returns boolean
  language sql stable
  return horizon is null
      or (row_xmin <> stamp::xid and age(row_xmin) between 0 and age(horizon::xid))
      or (row_xmax <> '0'::xid and row_xmax <> row_xmin);

-- Every table but ledger.bare_form, which comes with the release and is the same in every ledger.
create function ledger.sweep_restamp() returns bigint
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  mark  ledger.sweep_mark;
  here  bigint := (select c.system_identifier from pg_control_system() c);
  tab   regclass;
  n     bigint;
  total bigint := 0;
begin
  perform ledger.lock_whole();
  select * into mark from ledger.sweep_mark m;
  if mark.cluster is distinct from here or mark.stamp >= pg_current_xact_id() then
    mark.horizon := null;  -- a mark from another cluster: everything is stamped anew
  end if;
  foreach tab in array array[
    'ledger.entry', 'ledger.pending', 'ledger.consent', 'ledger.consent_history', 'ledger.withheld',
    'ledger.objection', 'ledger.legal_hold', 'ledger.barrier', 'ledger.audit'
  ]::regclass[] loop
    execute format(
      'with taken as (
         delete from %1$s where principal in (
           select principal from %1$s where ledger.written_since(xmin, xmax, $1, $2))
         returning *)
       insert into %1$s select * from taken order by %2$s', tab, ledger.key_columns(tab)) using mark.horizon, mark.stamp;
    get diagnostics n = row_count;
    total := total + n + ledger.lay_all(tab);
  end loop;
  foreach tab in array array[
    'ledger.topic', 'ledger.topic_alias', 'ledger.retired_key', 'ledger.outcome', 'ledger.snapshot', 'ledger.proposal', 'ledger.setting'
  ]::regclass[] loop
    execute format(
      'with taken as (delete from %1$s where ledger.written_since(xmin, xmax, $1, $2) returning *)
       insert into %1$s select * from taken order by %2$s', tab, ledger.key_columns(tab)) using mark.horizon, mark.stamp;
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  update ledger.sweep_mark
     set stamp = pg_current_xact_id(), horizon = pg_snapshot_xmin(pg_current_snapshot()), cluster = here;
  return total;
end $$;
