-- 04 · Tools of the functions below: the clock, the locks, how rows are laid down
--
-- None of these is granted to a surface, but the clock. They run as whoever calls them, which is a definer;
-- name_for_agent is one itself.

-- The clock is this function and nothing else: tests replace it. A day is a day in UTC.
create function ledger.today() returns date
  language sql stable parallel safe
  return (now() at time zone 'UTC')::date;

create function ledger.hour() returns integer
  language sql stable parallel safe
  return extract(hour from now() at time zone 'UTC')::integer;
comment on function ledger.hour is 'The hour of the day, in UTC, 0 to 23: for what may be asked once an hour. No row of a principal holds it.';

-- A day that has yet to come was written by a host whose clock was wrong. It is read as today, and the sweep puts it
-- right (09): else its row would be fresh till that day comes, and nothing said since would count.
create function ledger.age(as_of date) returns integer
  language sql stable parallel safe
  return greatest(ledger.today() - as_of, 0);
comment on function ledger.age is 'Whole days; of a day that has yet to come, none.';

create function ledger.freshness(age integer, reconfirm_after integer, drop_after integer) returns text
  language sql immutable parallel safe
  return case
    when age >= drop_after then 'dropped'
    when age > reconfirm_after then 'reconfirm'
    else 'fresh'
  end;
comment on function ledger.freshness is 'Computed when read, so that a changed window holds for every entry at once.';

create function ledger.handled(listed boolean, handling text) returns text
  language sql immutable parallel safe
  return case when listed or handling in ('confirm', 'forbidden') then handling else 'sealed' end;
comment on function ledger.handled is 'An unlisted topic is handled as sealed, or as strictly as when it was listed.';

create function ledger.strictness(handling text) returns integer
  language sql immutable
  return array_position(array['open', 'sealed', 'confirm', 'forbidden'], handling);

-- A bare answer ("No, not really.") means nothing without its question. It is made of one to four of the
-- forms that the language data lists (bare_form). This brings an answer into the form in which they are kept.
create function ledger.narrow(answer text) returns text
  language sql immutable parallel safe
  return btrim(regexp_replace(
    regexp_replace(
      translate(lower(answer collate "C"), U&'\3001\FF0C\3002.,;:!?\00A1\00BF\2026''\2019\2018"\201C\201D`\00B4()[]-\2013\2014', '   '),
      '([\u3005-\u3007\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])',
      ' \1 ', 'g'),
    '[ \t\n\r\f\v]+', ' ', 'g'));
comment on function ledger.narrow is
  'Lower case, no punctuation, one space between words; of scripts without spaces each character is a word.';

create function ledger.is_bare(answer text) returns boolean
  language plpgsql stable as $$
declare
  words text[]  := string_to_array(ledger.narrow(answer), ' ');
  free  integer := 1;  -- the first word that no form has taken yet
  taken integer;
begin
  for part in 1..4 loop
    taken := least(cardinality(words) - free + 1, 12);  -- the longest form first; none has more words than twelve
    while taken > 0 and not exists (
      select from ledger.bare_form b where b.form = array_to_string(words[free : free + taken - 1], ' ')
    ) loop
      taken := taken - 1;
    end loop;
    free := free + taken;
    if taken = 0 or free > cardinality(words) then
      return taken > 0;
    end if;
  end loop;
  return false;
end $$;

-- ── Locks ────────────────────────────────────────────────────────────────────────────────────────
-- Every write, to the registry too, first takes the lock of the whole in common with other writes,
-- and one on a principal's rows that principal's lock; the sweep and changes of the registry that reach
-- rows take the whole alone. So a re-stamp sees every earlier write. They go when the transaction ends. The
-- lock functions are taken from PUBLIC (10_grants.sql). A transaction that is left open after a write holds up the
-- sweep and the cut, and whoever writes for the same principal, till it is ended for idling (01_roles.sql; a raw
-- login can set that aside). Whoever wants the whole waits two seconds at most (10_grants.sql) and comes back
-- later, so that captures do not queue behind them.
--
-- A lock is of no use to a transaction whose view of the rows is older, and such a view shows what was revoked or
-- erased since: only READ COMMITTED may write, and read a principal's rows.

create function ledger.lock_in_common() returns void
  language plpgsql as $$
begin
  perform ledger.refuse_old_view();
  perform pg_advisory_xact_lock_shared(hashtextextended('ledger.whole', 0));
  perform ledger.refuse_before_the_cut();
end $$;

create function ledger.lock_principal(p uuid) returns void
  language plpgsql as $$
begin
  perform ledger.lock_in_common();
  perform pg_advisory_xact_lock(uuid_hash_extended(p, 1));
end $$;

create function ledger.lock_whole() returns void
  language plpgsql as $$
begin
  perform ledger.refuse_old_view();
  perform pg_advisory_xact_lock(hashtextextended('ledger.whole', 0));
  perform ledger.refuse_before_the_cut();
end $$;

create function ledger.refuse_old_view() returns void
  language plpgsql stable as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'only READ COMMITTED sees what was taken away since' using errcode = '25001';
  end if;
end $$;

-- ── The cut ──────────────────────────────────────────────────────────────────────────────────────
-- A day is closed by a cut: a transaction that holds the whole lock, writes nothing but the new day and its own
-- number, and so stands between the last write of one day and the first of the next. A sweep stamps anew what
-- was written before today's cut and leaves today's rows alone. So no sweep parts a day, at whatever hour it
-- runs and however long; and nobody can tell by the stamps who spoke before noon and who after.
--
-- The first write of a day makes the cut, or the sweep if it comes first: a write whose day is not that of the
-- cut fails (LG009), and the application calls ledger.cut and repeats it. A cut is a transaction of its own: today() is
-- that of a transaction's beginning, and whoever kept one open since yesterday could cut the day in two by it.

create function ledger.cut() returns date
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  here      bigint  := (select c.system_identifier from pg_control_system() c);
  is_alone  boolean := false;
  mark      record;
  before    date;
begin
  if statement_timestamp() - transaction_timestamp() > interval '1 second'
     or date_trunc('day', clock_timestamp(), 'UTC') > date_trunc('day', transaction_timestamp(), 'UTC') then
    raise exception 'a cut is a transaction of its own' using errcode = 'LG009';
  end if;
  loop
    select m.cut_on, m.cut_at, m.cluster into mark from ledger.sweep_mark m where m.only_row;
    if mark.cluster = here and not ledger.is_ahead(mark.cut_at)
       and (mark.cut_on = ledger.today() or is_alone and mark.cut_on > ledger.today() and mark.cut_on is distinct from before) then
      return mark.cut_on;  -- also where midnight came while this one waited, and another has cut the day that it began
    end if;
    before := mark.cut_on;
    exit when is_alone;
    -- another may have made it while this one waited: look again
    perform ledger.refuse_old_view();
    perform pg_advisory_xact_lock(hashtextextended('ledger.whole', 0));
    is_alone := true;
  end loop;
  if mark.cluster is distinct from here or ledger.is_ahead(mark.cut_at) then
    -- a new ledger, or one restored from another cluster: what the marks say of rows here is not so
    delete from ledger.piece_mark;
    update ledger.sweep_mark set restored_on = ledger.today();
  end if;
  update ledger.sweep_mark set cut_on = ledger.today(), cut_at = pg_current_xact_id(), cluster = here;
  return ledger.today();
end $$;
comment on function ledger.cut is 'Closes the days before today, if that is not done yet; gives the day that is open now.';

create function ledger.refuse_before_the_cut() returns void
  language plpgsql as $$
declare
  mark record;
begin
  select m.cut_on, m.cut_at into mark from ledger.sweep_mark m where m.only_row;
  if mark.cut_on is distinct from ledger.today()
     or ledger.is_ahead(mark.cut_at)
     or pg_current_xact_id_if_assigned() < mark.cut_at  -- a transaction that had its number before the cut
  then
    raise exception 'the day has not been cut from the last one' using errcode = 'LG009';
  end if;
end $$;

-- The stamp of a sweep of today is newer than the cut, and no naming: else whoever names a key after that sweep would
-- leave it as it is, and the next one would tell them from those who named theirs before.
create function ledger.is_named_today(stamp xid) returns boolean
  language plpgsql stable as $$
begin
  return not ledger.is_before(stamp, (select m.cut_at from ledger.sweep_mark m where m.only_row))
     and not exists (select from ledger.piece_mark m where m.piece = 'ledger.topic'::regclass and m.stamp::xid = is_named_today.stamp);
end $$;
comment on function ledger.is_named_today is 'Of the stamp of an unlisted key: it was coined, or named for the first time, since the cut.';

create function ledger.is_ahead(number xid8) returns boolean
  language plpgsql stable as $$
begin
  return number >= pg_snapshot_xmax(pg_current_snapshot());
end $$;
comment on function ledger.is_ahead is 'This cluster has not counted so far: the number is of another one.';

-- Numbers of transactions are compared in a circle of 2^32, as the server does; a row that was frozen half a
-- circle ago counts as written later, and is left as it lies.
create function ledger.is_before(number xid, mark xid8) returns boolean
  language sql stable parallel safe as $$
  select (age(number)::bigint - age(mark::xid)::bigint) & 4294967295 between 1 and 2147483647
$$;

-- ── Naming the principal ─────────────────────────────────────────────────────────────────────────
-- A function that names somebody names nobody before each of its returns: what it set would else last to the end of
-- the transaction, and tell the next statement whom it was about. (`set ledger.principal = ''` in its head would
-- see to that, and takes a superuser.) Where it raises an error, the server puts back what was set before, with all
-- else that the statement did.

create function ledger.name_principal(p uuid) returns void
  language plpgsql as $$
declare
  ignored text;
begin
  perform ledger.refuse_old_view();
  ignored := set_config('ledger.principal', p::text, true);
end $$;

create function ledger.name_nobody() returns void
  language plpgsql as $$
declare
  ignored text;
begin
  ignored := set_config('ledger.principal', '', true) || set_config('ledger.tier', '', true) || set_config('ledger.withheld', '', true);
end $$;
comment on function ledger.name_nobody is 'The last thing that a function does which named somebody.';

-- What this caller may read of them: their decision, cut to what the caller's token allows. Anything
-- that is not understood is `none`. Never skipped: it sets the tier in every call, `none` too. It runs
-- as one role for all agents' functions, since a plan under row-level security is good for one role.
create function ledger.name_for_agent(p uuid, max_tier text, undecided_tier text) returns text
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  tier    text;
  kept    text;
  ignored text;
begin
  perform ledger.refuse_old_view();
  ignored := set_config('ledger.principal', p::text, true);
  -- all four are looked at whatever the first one says: the time of a reply must not tell which it was
  select case when s.objects or s.erased then 'none' else coalesce(s.decision, 'undecided') end, s.kept
    into tier, kept
    from (select exists (select from ledger.objection o where o.principal = p) as objects,
                 exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked) as erased,
                 (select c.decision from ledger.consent c where c.principal = p) as decision,
                 (array(select w.topic from ledger.withheld w where w.principal = p)
                  || (select h.postponed from ledger.legal_hold h where h.principal = p))::text as kept
          offset 0) s;
  tier := case tier when 'granted' then 'full' when 'undecided' then undecided_tier else 'none' end;
  tier := case
    when max_tier = 'full' then tier
    when max_tier = 'topics' and tier in ('topics', 'full') then 'topics'
    else 'none'
  end;
  ignored := set_config('ledger.withheld', kept, true);
  ignored := set_config('ledger.tier', tier, true);
  return tier;
end $$;

-- ── Laying rows down ─────────────────────────────────────────────────────────────────────────────
-- In each table, all rows of a principal carry one xmin and lie in key order after every write, so that
-- neither tells when, or beside what, one of them was written (the tables' stamps differ till the sweep). Hence
-- a write is never of one row: all his rows there are taken out and laid down again by one statement, in key
-- order, and once more while free space on the pages has put them out of order; what 32 times did not help, the
-- next day's sweep finds. Answers are never updated in place: an update logs only where the new row differs from the old
-- one, and by the length of the log a raw login could guess an answer, letter by letter.

create function ledger.lay_entries(p uuid, topics text[], answers text[], day date, gone text[]) returns void
  language plpgsql as $$
declare
  in_order boolean;
begin
  for attempt in 1..32 loop
    with taken as (
      delete from ledger.entry e where e.principal = p returning e.topic, e.answer, e.as_of
    ), rows as (
      select t.topic, t.answer, t.as_of
        from taken t
       where t.topic <> all (topics) and t.topic <> all (gone)
      union all
      select n.topic, n.answer, day
        from unnest(topics, answers) as n(topic, answer)
    ), laid as (
      insert into ledger.entry (principal, topic, answer, as_of)
      select p, r.topic, r.answer, r.as_of from rows r order by r.topic
      returning topic, ctid as place
    )
    select array_agg(l.place order by l.topic) = array_agg(l.place order by l.place) into in_order from laid l;
    exit when in_order is not false;
    topics := '{}';
    answers := '{}';
    gone := '{}';
  end loop;
end $$;
comment on function ledger.lay_entries is
  'Puts these answers under this day, takes `gone` away, keeps the rest; one statement, one xmin, key order.';

create function ledger.key_columns(tab regclass) returns text
  language plpgsql stable as $$
begin
  return (
    select string_agg(quote_ident(a.attname), ', ' order by k.ord)
      from pg_index i
      cross join unnest(i.indkey) with ordinality k(attnum, ord)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
     where i.indrelid = tab and i.indisprimary);
end $$;

-- The same for the small tables, after a plain insert or delete has changed their rows.
create function ledger.lay(tab regclass, p uuid) returns void
  language plpgsql as $$
declare
  in_order boolean;
  keys     text := ledger.key_columns(tab);
begin
  for attempt in 1..32 loop
    execute format(
      'with taken as (delete from %1$s where principal = $1 returning *)
       insert into %1$s select * from taken order by %2$s', tab, keys) using p;
    execute format(
      'select not exists (
         select from (select ctid as here, lag(ctid) over (order by %2$s) as before
                        from %1$s where principal = $1) o
          where o.here < o.before)', tab, keys) using p into in_order;
    exit when in_order;
  end loop;
end $$;

-- What works on everybody works on the pieces of a table, one by one: the table itself, or the partitions of
-- one that was parted. A row's place (ctid) means something within its piece alone.
create function ledger.pieces(tab regclass) returns setof regclass
  language plpgsql stable as $$
begin
  return query
    select c.oid::regclass from pg_class c where c.oid = tab and c.relkind = 'r'
    union all
    select t.relid from pg_partition_tree(tab) t where t.isleaf and t.level > 0;
end $$;

-- Lays the rows of those in a piece whose rows lie out of key order or carry more than one xmin; null: of
-- everybody in it.
create function ledger.lay_piece(piece regclass, whose uuid[]) returns void
  language plpgsql as $$
declare
  keys text := ledger.key_columns(piece);
  n    bigint;
begin
  for attempt in 1..32 loop
    execute format(
      'with taken as (
         delete from %1$s where principal in (
           select principal
             from (select principal, xmin as stamp, ctid as here,
                          lag(ctid) over (partition by principal order by %2$s) as before
                     from %1$s %3$s) r
            group by principal
           having bool_or(here < before) or count(distinct stamp::text) > 1)
         returning *)
       insert into %1$s select * from taken order by %2$s',
      piece, keys, case when whose is not null then 'where principal = any ($1)' end) using whose;
    get diagnostics n = row_count;
    exit when n = 0;
  end loop;
end $$;

create function ledger.lay_those(tab regclass, whose uuid[]) returns void
  language plpgsql as $$
declare
  piece regclass;
begin
  for piece in select * from ledger.pieces(tab) loop
    perform ledger.lay_piece(piece, whose);
  end loop;
end $$;

create function ledger.lay_all(tab regclass) returns void
  language plpgsql as $$
begin
  perform ledger.lay_those(tab, null);
end $$;

create function ledger.note(p uuid, what text, how_often integer) returns void
  language plpgsql as $$
begin
  if how_often > 0 then
    insert into ledger.audit as a (principal, on_day, action, n)
    values (p, ledger.today(), what, how_often)
    on conflict (principal, on_day, action) do update set n = a.n + excluded.n;
    perform ledger.lay('ledger.audit', p);
  end if;
end $$;
comment on function ledger.note is 'Counts an action of this day in the audit.';

-- The same for many at once, an element of `whose` for each time it happened: in one statement, each
-- principal's rows laid anew.
create function ledger.note_all(whose uuid[], what text) returns void
  language plpgsql as $$
begin
  with new as (
    select w.principal, count(*) as n from unnest(whose) as w(principal) group by w.principal
  ), taken as (
    delete from ledger.audit a using new where a.principal = new.principal
    returning a.principal, a.on_day, a.action, a.n
  )
  insert into ledger.audit (principal, on_day, action, n)
  select r.principal, r.on_day, r.action, sum(r.n)
    from (select * from taken union all select new.principal, ledger.today(), what, new.n from new) r
   group by r.principal, r.on_day, r.action
   order by r.principal, r.on_day, r.action;
  perform ledger.lay_those('ledger.audit', whose);
end $$;

-- A commit that wrote nothing does not wait for the disk, and the time of the reply would tell that nothing was kept.
-- This writes an empty line into the log, and nowhere else.
create function ledger.wait_for_the_disk() returns void
  language plpgsql as $$
begin
  perform pg_logical_emit_message(true, 'ledger', '');
end $$;

create function ledger.bar(p uuid, the_mark uuid, what text, until date) returns void
  language plpgsql as $$
#variable_conflict use_column
begin
  insert into ledger.barrier as b (principal, mark, what, not_before)
  values (p, the_mark, bar.what, until)
  on conflict (principal, mark, what) do update set not_before = greatest(b.not_before, excluded.not_before);
  perform ledger.lay('ledger.barrier', p);
end $$;

-- What would be deleted now is deleted when the legal hold is lifted, whatever the registry says by then. `whose` and
-- `topics` name answers, one by one; those of principals without a hold are left alone.
create function ledger.postpone(whose uuid[], topics text[], waiting boolean) returns void
  language plpgsql as $$
begin
  with more as (
    select k.principal, array_agg(k.topic) as topics
      from unnest(whose, topics) as k(principal, topic)
     group by k.principal
  ), taken as (
    delete from ledger.legal_hold h using more where more.principal = h.principal
    returning h.*
  )
  insert into ledger.legal_hold (principal, erase_asked, postponed, postponed_waiting)
  select t.principal, t.erase_asked,
         case when waiting then t.postponed else ledger.united(t.postponed, more.topics) end,
         case when waiting then ledger.united(t.postponed_waiting, more.topics) else t.postponed_waiting end
    from taken t
    join more on more.principal = t.principal
   order by t.principal;
end $$;

create function ledger.united(a text[], b text[]) returns text[]
  language plpgsql immutable as $$
begin
  return array(select distinct k.key from unnest(a || b) k(key) order by k.key);
end $$;

-- While the record says that this database lost something, nothing is kept: what was taken away is not known here.
create function ledger.refuse_while_ahead() returns void
  language plpgsql stable as $$
begin
  if (select s.record_ahead from ledger.setting s where s.only_row) then
    raise exception 'the record is ahead of this database' using errcode = 'LG012';
  end if;
end $$;

-- Under a legal hold the principal's own acts on what is stored are refused, in the open.
create function ledger.refuse_under_hold(p uuid) returns void
  language plpgsql as $$
begin
  if exists (select from ledger.legal_hold h where h.principal = p) then
    raise exception 'a legal hold stands' using errcode = 'LG002';
  end if;
end $$;
