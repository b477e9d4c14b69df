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

create function ledger.age(as_of date) returns integer
  language sql stable parallel safe
  return ledger.today() - as_of;
comment on function ledger.age is 'Whole days.';

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
-- sweep, and whoever writes for the same principal, till it is ended for idling (01_roles.sql; a raw login can set
-- that aside). It holds up nobody else: whoever wants the whole waits two seconds at most (10_grants.sql) and comes
-- back later, so that captures do not queue behind him.
--
-- A lock is of no use to a transaction whose view of the rows is older: only READ COMMITTED may write.

create function ledger.refuse_old_view() returns void
  language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'only READ COMMITTED may write' using errcode = '25001';
  end if;
end $$;

create function ledger.lock_in_common() returns void
  language plpgsql as $$
begin
  perform ledger.refuse_old_view();
  perform pg_advisory_xact_lock_shared(hashtextextended('ledger.whole', 0));
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
end $$;

-- ── Naming the principal ─────────────────────────────────────────────────────────────────────────
-- Every function that calls these has `set ledger.principal = ''` (agents' have tier and withheld, too) in its
-- head: what is set inside is gone when it returns, also within one transaction.

create function ledger.name_principal(p uuid) returns void
  language plpgsql as $$
declare
  ignored text;
begin
  ignored := set_config('ledger.principal', p::text, true);
end $$;

-- What this caller may read of him: his decision, cut to what the caller's token allows. Anything
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
  ignored := set_config('ledger.principal', p::text, true);
  -- all four are looked at whatever the first one says: the time of a reply must not tell which it was
  select case when s.objects or s.erased then 'none' else coalesce(s.decision, 'undecided') end, s.kept
    into tier, kept
    from (select exists (select from ledger.objection o where o.principal = p) as objects,
                 exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked) as erased,
                 (select c.decision from ledger.consent c where c.principal = p) as decision,
                 array(select w.topic from ledger.withheld w where w.principal = p)::text as kept
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
-- sweep finds. Answers are never updated in place: an update logs only where the new row differs from the old
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

-- The same for everybody whose rows lie out of key order or carry more than one xmin. Gives how many rows it laid.
create function ledger.lay_all(tab regclass) returns bigint
  language plpgsql as $$
declare
  keys  text := ledger.key_columns(tab);
  n     bigint;
  total bigint := 0;
begin
  for attempt in 1..32 loop
    execute format(
      'with taken as (
         delete from %1$s where principal in (
           select principal
             from (select principal, xmin as stamp, ctid as here,
                          lag(ctid) over (partition by principal order by %2$s) as before
                     from %1$s) r
            group by principal
           having bool_or(here < before) or count(distinct stamp::text) > 1)
         returning *)
       insert into %1$s select * from taken order by %2$s', tab, keys);
    get diagnostics n = row_count;
    total := total + n;
    exit when n = 0;
  end loop;
  return total;
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
end $$;

create function ledger.bar(p uuid, the_mark uuid, until date) returns void
  language plpgsql as $$
begin
  insert into ledger.barrier as b (principal, mark, not_before)
  values (p, the_mark, until)
  on conflict (principal, mark) do update set not_before = greatest(b.not_before, excluded.not_before);
  perform ledger.lay('ledger.barrier', p);
end $$;

-- Under a legal hold the principal's own acts on what is stored are refused, in the open.
create function ledger.refuse_under_hold(p uuid) returns void
  language plpgsql as $$
begin
  if exists (select from ledger.legal_hold h where h.principal = p) then
    raise exception 'a legal hold stands' using errcode = 'LG002';
  end if;
end $$;
