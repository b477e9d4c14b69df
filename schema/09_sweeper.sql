-- 09 · The sweep
--
-- Deletes what is past its window, draws the weekly snapshot, and stamps anew what was written on the days
-- before today. An xmin is a clock for whoever watched it; after the re-stamp all rows of those days carry one in
-- each piece of a table, and lie in key order. Today's rows are left alone, at whatever hour the sweep runs: their
-- day is not over (04, the cut). Nothing of a principal under a legal hold is deleted.
--
-- Order: ledger.cut; sweep_expired for each piece that expires, and sweep_keys, till they give back zero;
-- sweep_credentials; sweep_snapshot; sweep_restamp for each piece; sweep_rewrite of each that is small, VACUUM of each; sweep_done. Each step is a transaction of its
-- own. It looks for its rows before it takes the lock that captures wait for, and under the lock it looks at those
-- alone, so how long captures wait does not grow with the table. A sweep that was ended early is taken up by the
-- next: how far a piece came is written down in the transaction that brought it there.

-- ── What there is to sweep ───────────────────────────────────────────────────────────────────────

-- Every table, but ledger.bare_form and ledger.version, which are the release's and the same in every ledger;
-- what expires in it, and whether its rows are stamped anew (the sweep's own marks are not).
create function ledger.swept_pieces() returns table (piece regclass, of_principals boolean, expires text, is_stamped boolean)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
    select ledger.pieces(t.tab), t.of_principals, t.expires, t.is_stamped
      from (values
        ('ledger.entry'::regclass,   true,  'entries',  true),
        ('ledger.pending',           true,  'pending',  true),
        ('ledger.consent',           true,  null,       true),
        ('ledger.consent_history',   true,  null,       true),
        ('ledger.withheld',          true,  null,       true),
        ('ledger.objection',         true,  null,       true),
        ('ledger.legal_hold',        true,  null,       true),
        ('ledger.barrier',           true,  'barriers', true),
        ('ledger.audit',             true,  'audit',    true),
        ('ledger.topic',             false, null,       true),
        ('ledger.topic_alias',       false, null,       true),
        ('ledger.retired_key',       false, null,       true),
        ('ledger.former_key',        false, null,       true),
        ('ledger.outcome',           false, null,       true),
        ('ledger.snapshot',          false, null,       true),
        ('ledger.proposal',          false, null,       true),
        ('ledger.setting',           false, null,       true),
        ('ledger.credential',        false, null,       true),
        ('ledger.sweep_mark',        false, null,       false),
        ('ledger.piece_mark',        false, null,       false)
      ) t (tab, of_principals, expires, is_stamped);
end $$;

-- The same for the sweeper, by name. `may_vacuum`: it may itself (PostgreSQL 17 and newer); else autovacuum does.
-- `may_rewrite`: sweep_rewrite may, since the piece is the owner's of the schema (a partition may be somebody else's).
create function ledger.sweep_pieces()
  returns table (piece text, expires text, is_stamped boolean, may_vacuum boolean, may_rewrite boolean, bytes bigint)
  language plpgsql stable strict security definer rows 20
  set search_path = pg_catalog, ledger, pg_temp
  set quote_all_identifiers = off
as $$
#variable_conflict use_column
declare
  can_be_granted boolean := current_setting('server_version_num')::integer >= 170000;
begin
  return query
    select format('%I.%I', n.nspname, c.relname), s.expires, s.is_stamped,
           case when can_be_granted then has_table_privilege(session_user, c.oid, 'MAINTAIN') else false end,
           c.relowner = 'ledger_owner'::regrole,
           pg_relation_size(c.oid)
      from ledger.swept_pieces() s
      join pg_class c on c.oid = s.piece
      join pg_namespace n on n.oid = c.relnamespace;
end $$;

create function ledger.swept_piece(the_piece text)
  returns table (piece regclass, of_principals boolean, expires text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
    select s.piece, s.of_principals, s.expires
      from ledger.swept_pieces() s
     where s.piece = to_regclass(the_piece) and (s.is_stamped or s.expires is not null);
  if not found then
    raise exception 'nothing is swept there' using errcode = 'LG003';
  end if;
end $$;

-- ── What is past its window ──────────────────────────────────────────────────────────────────────

-- A barrier, and the audit, expire with the widest window: no capture that a barrier could stop would
-- be kept any more.
create function ledger.oldest_day() returns date
  language plpgsql stable as $$
begin
  return ledger.today() - greatest(
    (select s.drop_after from ledger.setting s where s.only_row),
    (select max(t.drop_after) from ledger.topic t));
end $$;

-- Where the rows of a piece lie that are past their time: at most so many (null: all), of those that lie
-- at `among` (null: of all).
create function ledger.past(piece regclass, what text, among tid[], most integer) returns tid[]
  language plpgsql as $$
declare
  rows text := case what
    when 'barriers' then format('%s r where r.not_before <= $3', piece)
    when 'audit'    then format('%s r where r.on_day <= $3', piece)
    else format('%s r join ledger.setting s on s.only_row left join ledger.topic t on t.key = r.topic
                 where $4 - r.as_of >= coalesce(t.drop_after, s.drop_after)', piece)
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

-- What a sweep would delete now, exactly: for whoever owns the deployment, never for operators (08).
create function ledger.sweep_due() returns table (what text, n bigint)
  language plpgsql strict security definer rows 6
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
begin
  return query
    select s.expires, sum(cardinality(ledger.past(s.piece, s.expires, null, null)))
      from ledger.swept_pieces() s
     where s.expires is not null
     group by s.expires
    union all
    select 'topics', cardinality(ledger.idle_keys(null))
    union all
    select 'credentials', count(*) from ledger.credential c where c.expires_on < ledger.today();
end $$;

-- One batch: at most so many rows of a piece. Gives how many; zero: nothing is left. What is left of a
-- principal's rows lies as it lay. (The rows of a batch lie side by side, hence the page cost.)
create function ledger.sweep_expired(the_piece text, most integer) returns integer
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
  set random_page_cost = 1
as $$
declare
  here  record;
  rows  tid[];
  whose uuid[];
begin
  select s.piece, s.expires into here from ledger.swept_piece(the_piece) s;
  rows := ledger.past(here.piece, here.expires, null, most);
  if rows = '{}' then
    perform ledger.bring_to_today(here.piece, here.expires, most);
    if here.expires = 'entries' then
      perform ledger.postpone_what_is_held();
    end if;
    return 0;
  end if;
  perform ledger.lock_whole();
  rows := ledger.past(here.piece, here.expires, rows, most);
  if rows = '{}' then
    -- another sweep has taken all of them while this one waited; zero would say that nothing is left
    rows := ledger.past(here.piece, here.expires, null, most);
  end if;
  execute format(
    'with gone as (delete from %s where ctid = any ($1) returning principal)
     select array_agg(g.principal) from gone g', here.piece) into whose using rows;
  if here.expires in ('entries', 'pending') and whose is not null then
    perform ledger.note_all(whose, 'expired');
  end if;
  return coalesce(cardinality(whose), 0);
end $$;

-- Days that have yet to come (04, age) become today, of at most so many principals; the next sweep goes on. A barrier
-- may stand till tomorrow.
create function ledger.bring_to_today(piece regclass, what text, most integer) returns void
  language plpgsql as $$
declare
  col   text := case what when 'barriers' then 'not_before' when 'audit' then 'on_day' else 'as_of' end;
  rows  text := case what
    when 'barriers' then 'principal, mark, what, least(not_before, $2)'
    when 'audit'    then 'principal, least(on_day, $2), action, sum(n)'
    else 'principal, topic, answer, least(as_of, $2)'
  end;
  last  date := ledger.today() + case what when 'barriers' then 1 else 0 end;
  whose uuid[];
begin
  execute format(
    'select array(
       select distinct r.principal from %s r
        where r.%I > $1 and not exists (select from ledger.legal_hold h where h.principal = r.principal)
        limit $2)', piece, col) into whose using last, most;
  if whose = '{}' then
    return;
  end if;
  perform ledger.lock_whole();
  execute format(
    'with taken as (
       delete from %1$s r
        where r.principal = any ($1) and not exists (select from ledger.legal_hold h where h.principal = r.principal)
       returning *)
     insert into %1$s select %2$s from taken %3$s order by %4$s',
    piece, rows, case what when 'audit' then 'group by 1, 2, 3' end, case what when 'audit' then '1, 2, 3' else '1, 2' end)
    using whose, last;
  perform ledger.lay_piece(piece, whose);
end $$;

-- What a legal hold keeps though its window is over goes when the hold is lifted, also where the window is made longer
-- again meanwhile; till then it is hidden from all agents and in no figure.
create function ledger.postpone_what_is_held() returns void
  language plpgsql as $$
declare
  old record;
begin
  for old in
    select o.waiting, array_agg(o.principal) as whose, array_agg(o.topic) as topics
      from (select false as waiting, e.principal, e.topic, e.as_of
              from ledger.legal_hold h
              join ledger.entry e on e.principal = h.principal and e.topic <> all (h.postponed)
            union all
            select true, w.principal, w.topic, w.as_of
              from ledger.legal_hold h
              join ledger.pending w on w.principal = h.principal and w.topic <> all (h.postponed_waiting)) o
      join ledger.setting s on s.only_row
      left join ledger.topic t on t.key = o.topic
     where ledger.age(o.as_of) >= coalesce(t.drop_after, s.drop_after)
     group by o.waiting
  loop
    perform ledger.lock_whole();
    perform ledger.postpone(old.whose, old.topics, old.waiting);
  end loop;
end $$;

-- ── Keys that nobody needs ───────────────────────────────────────────────────────────────────────
-- Any agent can coin a key. One that was not named today, that no principal has an answer on or withholds, and
-- that carries nothing of an operator's, goes. A capture of today would have named it: coin stamps the row of an
-- unlisted key on the first call of a day, and a capture keeps nothing under a key that has no stamp of today. So
-- what was found here before the lock, and has no such stamp under it, is still not needed.

-- Unlisted keys without anything of an operator's that were not named today; of `among` (null: of all).
create function ledger.keys_not_named_today(among text[]) returns setof text
  language plpgsql stable as $$
begin
  return query
    select t.key
      from ledger.topic t
     where not t.listed
       and (among is null or t.key = any (among))
       and t.question is null and t.handling is null and t.authority is null
       and t.reconfirm_after is null and t.drop_after is null
       and not ledger.is_named_today(t.xmin)
       and not exists (select from ledger.topic_alias a where a.key = t.key)
       and not exists (select from ledger.retired_key r where r.merged_into = t.key);
end $$;

create function ledger.idle_keys(most integer) returns text[]
  language plpgsql stable as $$
begin
  return array(
    select k.key
      from ledger.keys_not_named_today(null) k (key)
     where not exists (select from ledger.entry e where e.topic = k.key)
       and not exists (select from ledger.pending w where w.topic = k.key)
       and not exists (select from ledger.withheld w where w.topic = k.key)
     limit most);
end $$;

create function ledger.sweep_keys(most integer) returns integer
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  idle text[] := ledger.idle_keys(most);
  n    integer;
begin
  if idle = '{}' then
    return 0;
  end if;
  perform ledger.lock_whole();
  idle := array(select ledger.keys_not_named_today(idle));
  delete from ledger.topic t where t.key = any (idle);
  get diagnostics n = row_count;
  return n;
end $$;

-- ── Credentials that are over ────────────────────────────────────────────────────────────────────

-- A credential of a day that is past verifies nowhere, whether or not its row is still there. Gives how many went.
create function ledger.sweep_credentials() returns integer
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  n integer;
begin
  perform ledger.lock_in_common();
  delete from ledger.credential c where c.expires_on < ledger.today();
  get diagnostics n = row_count;
  return n;
end $$;

-- ── What operators may see ───────────────────────────────────────────────────────────────────────

-- Once a week: listed topics by age, rounded to 5, none below 5 principals; and which unlisted topics 5
-- principals have. True when it was drawn. It is counted without a lock, in one look; then it is put down.
create function ledger.sweep_snapshot() returns boolean
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  today  date := ledger.today();
  counts record;
begin
  if (select m.snapshot_on from ledger.sweep_mark m) between today - 6 and today then
    return false;
  end if;
  select array_agg(c.topic) as topics, array_agg(c.age_weeks) as ages, array_agg(c.n) as ns
    into counts
    from (select e.topic, ledger.age(e.as_of) / 7 as age_weeks, count(*) as n
            from ledger.entry e
            left join ledger.topic t on t.key = e.topic
            join ledger.setting s on s.only_row
           where not exists (select from ledger.legal_hold h where h.principal = e.principal and h.erase_asked)
             -- what a legal hold alone keeps is not counted: whoever places holds could choose who is
             and today - e.as_of < coalesce(t.drop_after, s.drop_after)
             and t.handling is distinct from 'forbidden'
             and not exists (select from ledger.legal_hold h where h.principal = e.principal and e.topic = any (h.postponed))
           group by 1, 2) c;

  perform ledger.lock_in_common();
  update ledger.sweep_mark m set snapshot_on = today
   where m.snapshot_on is null or m.snapshot_on not between today - 6 and today;
  if not found then
    return false;  -- another sweep was quicker
  end if;
  delete from ledger.snapshot;
  insert into ledger.snapshot (topic, age_weeks, n)
  select c.topic, c.age_weeks, round(c.n / 5.0) * 5
    from unnest(counts.topics, counts.ages, counts.ns) as c(topic, age_weeks, n)
    join ledger.topic t on t.key = c.topic and t.listed
   where c.n >= 5
   order by 1, 2;
  delete from ledger.proposal;
  insert into ledger.proposal (topic)
  select c.topic
    from unnest(counts.topics, counts.ns) as c(topic, n)
    join ledger.topic t on t.key = c.topic and not t.listed
   group by c.topic
  having sum(c.n) >= 5
   order by 1;
  return true;
end $$;

-- ── The re-stamp ─────────────────────────────────────────────────────────────────────────────────

-- Whether a transaction wrote since the last re-stamp (null: ever) and before the cut.
create function ledger.is_to_be_stamped(number xid, since xid8, cut xid8) returns boolean
  language sql stable parallel safe as $$
  select ledger.is_before(number, cut) and (since is null or not ledger.is_before(number, since))
$$;

-- Where the rows lie that are to be stamped anew; of those at `among` (null: of all). Another's xmax is the mark
-- of one who locked the row, or took back what they had done to it: a clock as well. And the last place of the rows
-- that were stamped by an earlier sweep, and stay as they are.
create function ledger.to_be_stamped(
  piece regclass, among tid[], since xid8, own xid8, cut xid8, out places tid[], out last_older tid
)
  language plpgsql as $$
begin
  execute format(
    'select coalesce(array_agg(r.place) filter (where r.is_due), ''{}''),
            max(r.place) filter (where not r.is_due and r.is_older)
       from (select ctid as place,
                    ledger.is_to_be_stamped(xmin, $2, $4) and xmin is distinct from $3::xid
                    or xmax <> ''0''::xid and xmax <> xmin and ledger.is_to_be_stamped(xmax, $2, $4) as is_due,
                    ledger.is_before(xmin, $4) as is_older
               from %s %s) r',
    piece, case when among is not null then 'where ctid = any ($1)' end)
    into places, last_older using among, since, own, cut;
end $$;

-- Takes rows out and lays them down again in key order, until they lie so, and behind a place. One statement does not
-- do: it fills the holes that the free space map knows of, and where those are follows the order in which a day was
-- written, once a vacuum came in its course. Each further one finds the holes filled by the last. It ends after 32
-- times, or fifty thousand rows: captures wait meanwhile, and what is written in vain swells the table (of what was
-- not reached a small table keeps nothing: sweep_rewrite).
create function ledger.lay_behind(piece regclass, rows tid[], last_older tid) returns void
  language plpgsql as $$
declare
  keys     text := ledger.key_columns(piece);
  in_order boolean;
begin
  for attempt in 1..32 loop
    execute format(
      'with taken as (
         delete from %1$s where ctid = any ($1) returning *
       ), laid as (
         insert into %1$s select * from taken order by %2$s returning ctid as place, %2$s
       )
       select array_agg(place order by %2$s),
              array_agg(place order by %2$s) = array_agg(place order by place) and coalesce(min(place) > $2, true)
         from laid', piece, keys)
      into rows, in_order using rows, last_older;
    exit when in_order is not false or attempt * cardinality(rows) >= 50000;
  end loop;
end $$;

-- Stamps anew, in one piece, what was written before today's cut and since the last re-stamp. After a restore
-- everything there is, and once more on the next day: which rows were written after the restore, and on which side
-- of noon, is then told by nothing either. Gives how many rows.
create function ledger.sweep_restamp(the_piece text) returns integer
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  here  record;
  cut   record;
  last  record;
  found record;
  rows  tid[];
  whose uuid[];
begin
  select s.piece, s.of_principals into here from ledger.swept_piece(the_piece) s;
  select m.cut_at, m.restored_on = m.cut_on as is_restored into cut from ledger.sweep_mark m where m.only_row;
  select m.up_to, case when m.up_to is not null then m.stamp end as stamp
    into last from (select) one left join ledger.piece_mark m on m.piece = here.piece;
  select * into found from ledger.to_be_stamped(here.piece, null, last.up_to, last.stamp, cut.cut_at);
  if found.places = '{}' then
    return 0;
  end if;

  perform ledger.lock_whole();
  select m.up_to, case when m.up_to is not null then m.stamp end as stamp
    into last from (select) one left join ledger.piece_mark m on m.piece = here.piece;
  rows := (ledger.to_be_stamped(here.piece, found.places, last.up_to, last.stamp, cut.cut_at)).places;
  if here.of_principals then
    -- all rows of a principal together, though another's mark may be on some of them alone
    execute format('select array_agg(distinct r.principal) from %s r where r.ctid = any ($1)', here.piece)
      into whose using rows;
    execute format('select array_agg(r.ctid) from %s r where r.principal = any ($1)', here.piece)
      into rows using whose;
  end if;
  perform ledger.lay_behind(here.piece, rows, found.last_older);
  if here.of_principals then
    perform ledger.lay_piece(here.piece, coalesce(whose, '{}'));
  end if;
  insert into ledger.piece_mark as m (piece, stamp, up_to)
  values (here.piece, pg_current_xact_id(), case when not cut.is_restored then cut.cut_at end)
  on conflict (piece) do update set stamp = excluded.stamp, up_to = excluded.up_to;
  return coalesce(cardinality(rows), 0);
end $$;

-- ── The vacuum, and the end ──────────────────────────────────────────────────────────────────────
-- What was written is frozen, and what is dead taken out of tables and indexes: else the first read of a row would
-- leave a mark on its page, and the files would tell of whom an agent read. A vacuum frees the space of dead rows and
-- does not overwrite it: their words and stamps stay in the file, and where the rows lie that stand may follow the
-- order of a day. So a piece that is small is written anew as a whole before, in key order, and so are its indexes;
-- of a large one docs/operations/postgresql.md says what to do.

-- Nobody but an owner may on PostgreSQL 15 and 16: the one function that runs as the owner of the tables. It gives back
-- nothing of them, and row-level security has no say in it, since no row is read for anybody. Everybody else waits
-- meanwhile; it gives up where it would have to wait for others for longer than a fifth of a second (01_roles.sql).
create function ledger.sweep_rewrite(the_piece text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  here record;
begin
  select s.piece, k.relname as key
    into here
    from ledger.swept_pieces() s
    join pg_index i on i.indrelid = s.piece and i.indisprimary
    join pg_class k on k.oid = i.indexrelid
   where s.piece = to_regclass(the_piece);
  if not found then
    raise exception 'nothing is swept there' using errcode = 'LG003';
  end if;
  execute format('cluster %s using %I', here.piece, here.key);
end $$;

-- The pieces in which a vacuum that reaches the last re-stamp is still to come, or was held back by a transaction
-- that is older than the re-stamp, such as a dump's.
create function ledger.sweep_held_back() returns setof text
  language plpgsql stable strict security definer rows 20
  set search_path = pg_catalog, ledger, pg_temp
  set quote_all_identifiers = off
as $$
declare
  number bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
begin
  return query
    select format('%I.%I', n.nspname, c.relname)
      from ledger.piece_mark m
      join pg_class c on c.oid = m.piece
      join pg_namespace n on n.oid = c.relnamespace
     where number - m.stamp::text::bigint < 2147483648  -- longer ago the server itself has seen to it
       and (c.relfrozenxid = m.stamp::xid or ledger.is_before(c.relfrozenxid, m.stamp));
end $$;

create function ledger.sweep_done(swept date) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  if not isfinite(swept) or swept > ledger.today() then
    raise exception 'no sweep began on that day' using errcode = '22008';
  end if;
  perform ledger.lock_in_common();
  update ledger.sweep_mark m set swept_on = swept where m.swept_on is distinct from swept;
end $$;

create function ledger.swept_on() returns date
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return (select m.swept_on from ledger.sweep_mark m where m.only_row);
end $$;
comment on function ledger.swept_on is 'The day of the last sweep that came to its end; null: there was none.';
