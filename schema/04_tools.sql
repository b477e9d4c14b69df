-- 04 · Tools of the functions below: the clock, the locks, how rows are laid down
--
-- None of these is granted to a surface. They run as whoever calls them, which is a definer.

-- The clock is this function and nothing else: tests replace it. A day is a day in UTC.
create function ledger.today() returns date
  language sql stable parallel safe
  return (now() at time zone 'UTC')::date;

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

-- A bare answer ("No.") means nothing without its question. The closed list of bare forms comes from
-- the language data; this brings an answer into the form in which the list is kept.
create function ledger.narrow(answer text) returns text
  language sql immutable parallel safe
  return btrim(regexp_replace(
    translate(lower(answer collate "C"), U&'.,;:!?\00A1\00BF\2026''\2019\2018"\201C\201D`\00B4()[]-\2013\2014', ''),
    '[ \t\n\r\f\v]+', ' ', 'g'));

-- ── Locks ────────────────────────────────────────────────────────────────────────────────────────
-- Every write, to the registry too, first takes the lock of the whole in common with other writes,
-- and one on a principal's rows that principal's lock; the sweep and merges take the whole alone. So
-- a re-stamp sees every earlier write. They go when the transaction ends. The lock functions are
-- taken from PUBLIC (10_grants.sql), so that no raw login can hold a lock and stop captures.

create function ledger.lock_in_common() returns void
  language plpgsql as $$
begin
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
  perform pg_advisory_xact_lock(hashtextextended('ledger.whole', 0));
end $$;

-- ── Naming the principal ─────────────────────────────────────────────────────────────────────────
-- Every function that calls these has `set ledger.principal = ''` (and tier and withheld) in its
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
  select case
           when exists (select from ledger.objection o where o.principal = p) then 'none'
           when exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked) then 'none'
           else coalesce((select c.decision from ledger.consent c where c.principal = p), 'undecided')
         end,
         array(select w.topic from ledger.withheld w where w.principal = p)::text
    into tier, kept;
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
-- In every table, all rows of a principal carry one xmin and lie in key order, so that neither tells
-- when, or beside what, one of them was written. Hence no row is ever written alone: all his rows are
-- written again by one statement, in key order, and once more while free space on the pages has put
-- them out of order. Where no row comes or goes they are updated, which spares the index; else they are
-- taken out and laid down again.

create function ledger.lay_entries(
  p uuid, topics text[], answers text[], day date, gone text[], in_place boolean
) returns void
  language plpgsql as $$
declare
  put_topics text[] := topics;
  in_order   boolean;
begin
  if in_place then
    with laid as (
      update ledger.entry e
         set answer = coalesce(answers[array_position(topics, e.topic)], e.answer),
             as_of  = case when e.topic = any (topics) then day else e.as_of end
       where e.principal = p
      returning e.topic, e.ctid
    )
    select bool_and(o.here > o.before)
      into in_order
      from (select l.ctid as here, lag(l.ctid) over (order by l.topic) as before from laid l) o;
    if in_order is not false then
      return;
    end if;
    put_topics := '{}';
    answers := '{}';
  end if;

  for attempt in 1..8 loop
    with taken as (
      delete from ledger.entry e where e.principal = p returning e.topic, e.answer, e.as_of
    ), rows as (
      select t.topic, t.answer, t.as_of
        from taken t
       where t.topic <> all (put_topics) and t.topic <> all (gone)
      union all
      select n.topic, n.answer, day
        from unnest(put_topics, answers) as n(topic, answer)
    ), laid as (
      insert into ledger.entry (principal, topic, answer, as_of)
      select p, r.topic, r.answer, r.as_of from rows r order by r.topic
      returning topic, ctid
    )
    select bool_and(o.here > o.before)
      into in_order
      from (select l.ctid as here, lag(l.ctid) over (order by l.topic) as before from laid l) o;
    exit when in_order is not false;
    put_topics := '{}';
    answers := '{}';
    gone := '{}';
  end loop;
end $$;
comment on function ledger.lay_entries is
  'Puts these answers under this day, takes `gone` away, keeps the rest; one statement, one xmin, key order. in_place: no row comes or goes.';

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
  for attempt in 1..8 loop
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
