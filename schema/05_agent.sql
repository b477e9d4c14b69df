-- 05 · What agents call
--
-- Reads write nothing and run in a read-only transaction: one statement, one round trip. They are STABLE,
-- so that all they look at is of one instant: what is withheld and what was said can't part company. Each names
-- the principal, finds the tier, and sets both in every call. `narrowed` and `only_topics` come from
-- the caller's token; a token can take away and never add. Topic rows are looked up apart from the
-- principal's rows, so that the registry may be a reference table of a distributed engine.
--
-- A revoked, an objecting, an erased and an unknown principal take the same way and give the same
-- reply: no row. So does everybody while the record is ahead of the database (09, record).

-- What a label leads to by an operator's word: the key of an alias, else the label itself, known or not.
create function ledger.keys_of(labels text[]) returns text[]
  language plpgsql stable as $$
begin
  if not exists (select from ledger.topic_alias a where a.alias = any (labels)) then
    return labels;
  end if;
  return array(
    select coalesce(a.key, l.label)
      from unnest(labels) with ordinality as l(label, ord)
      left join ledger.topic_alias a on a.alias = l.label
     order by l.ord);
end $$;

-- The same for a reader: an alias counts where its topic is listed, or where it was a key itself that operators saw and
-- merged away, since what was said under that key has moved (a key that they did not see tells by nothing that it was there). Any other rests till its topic is listed: the label stands for itself.
-- Slips and plurals are the application's to mend, with the labels of labels_listed. A reply names a topic
-- that is not listed by the caller's own label: what a merged key leads to is an agent's word, and no other
-- agent's to read.
create function ledger.keys_read(labels text[]) returns text[]
  language plpgsql stable as $$
begin
  if not exists (select from ledger.topic_alias a where a.alias = any (labels)) then
    return labels;
  end if;
  return array(
    select coalesce(a.key, l.label)
      from unnest(labels) with ordinality as l(label, ord)
      left join ledger.topic_alias a on a.alias = l.label
       and (exists (select from ledger.topic t where t.key = a.key and t.listed)
            or exists (select from ledger.retired_key r where r.key = a.alias and r.fixed))
     order by l.ord);
end $$;

-- Which topics are covered. Tier topics: open listed ones. Tier full: every listed one, and an
-- unlisted one that the caller names.
create function ledger.coverage(
  p uuid, labels text[], all_listed boolean, max_tier text, narrowed boolean, only_topics text[]
) returns table (topic text, freshness text)
  language plpgsql stable strict security definer rows 12
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  today   date := ledger.today();
  set_by  record;
  tier    text;
  nobody  constant uuid := '00000000-0000-0000-0000-000000000000';
  seen    uuid;  -- at tier none no row of his is even looked for: the time of a reply would tell that there are some
  keys    text[] := case when all_listed then '{}' else ledger.keys_read(labels) end;
  allowed text[] := case when narrowed then ledger.keys_read(only_topics) else '{}' end;
  topics  text[];
  days    date[];
begin
  select s.undecided_tier, s.visible_from, s.reconfirm_after, s.drop_after, s.record_ahead
    into set_by from ledger.setting s where s.only_row;
  tier := ledger.name_for_agent(p, case when set_by.record_ahead then 'none' else max_tier end, set_by.undecided_tier);
  seen := case when tier = 'none' then nobody else p end;

  select array_agg(e.topic), array_agg(least(e.as_of, today))
    into topics, days
    from ledger.entry e
   where e.principal = seen
     and (all_listed or e.topic = any (keys))
     and (not narrowed or e.topic = any (allowed))
     and (set_by.visible_from = 'same_day' or e.as_of < today);
  perform ledger.name_nobody();

  if topics is null then
    return;
  end if;
  return query
    select case when c.listed then c.topic else labels[array_position(keys, c.topic)] end, c.freshness
      from (select t.key as topic, t.listed, e.as_of,
                   ledger.freshness(today - e.as_of, coalesce(t.reconfirm_after, set_by.reconfirm_after),
                                                     coalesce(t.drop_after, set_by.drop_after)) as freshness
              from unnest(topics, days) as e(topic, as_of)
              join ledger.topic t on t.key = e.topic
             where t.handling is distinct from 'forbidden'
               and case tier
                     when 'full' then t.listed or not all_listed
                     else t.listed and t.handling = 'open'
                   end) c
     where c.freshness <> 'dropped'
     order by array_position(keys, c.topic), c.freshness, date_trunc('month', c.as_of) desc, c.topic;
end $$;
comment on function ledger.coverage is 'Keys and freshness; in the order of the labels, else fresh first, newest month, key.';

-- What he said, for a caller who may know it: tier full alone.
create function ledger.recall(
  p uuid, labels text[], all_listed boolean, max_tier text, narrowed boolean, only_topics text[], most integer
) returns table (topic text, freshness text, answer text, question text, month date)
  language plpgsql stable strict security definer rows 12
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  today   date := ledger.today();
  set_by  record;
  tier    text;
  nobody  constant uuid := '00000000-0000-0000-0000-000000000000';
  seen    uuid;  -- at tier none no row of his is even looked for: the time of a reply would tell that there are some
  keys    text[] := case when all_listed then '{}' else ledger.keys_read(labels) end;
  allowed text[] := case when narrowed then ledger.keys_read(only_topics) else '{}' end;
  topics  text[];
  answers text[];
  days    date[];
begin
  select s.undecided_tier, s.visible_from, s.reconfirm_after, s.drop_after, s.record_ahead
    into set_by from ledger.setting s where s.only_row;
  tier := ledger.name_for_agent(p, case when set_by.record_ahead then 'none' else max_tier end, set_by.undecided_tier);
  seen := case when tier = 'none' then nobody else p end;

  select array_agg(e.topic), array_agg(e.answer), array_agg(least(e.as_of, today))
    into topics, answers, days
    from ledger.entry e
   where e.principal = seen
     and (all_listed or e.topic = any (keys))
     and (not narrowed or e.topic = any (allowed))
     and (set_by.visible_from = 'same_day' or e.as_of < today);
  perform ledger.name_nobody();

  if topics is null then
    return;
  end if;
  return query
    select case when r.listed then r.topic else labels[array_position(keys, r.topic)] end,
           r.freshness, r.answer, r.question, date_trunc('month', r.as_of)::date
      from (select t.key as topic, t.listed, e.answer, e.as_of, case when t.listed then t.question end as question,
                   ledger.freshness(today - e.as_of, coalesce(t.reconfirm_after, set_by.reconfirm_after),
                                                     coalesce(t.drop_after, set_by.drop_after)) as freshness
              from unnest(topics, answers, days) as e(topic, answer, as_of)
              join ledger.topic t on t.key = e.topic
             where t.handling is distinct from 'forbidden'
               and (t.listed or not all_listed)) r
     where r.freshness <> 'dropped'
     order by array_position(keys, r.topic), r.freshness, date_trunc('month', r.as_of) desc, r.topic
     limit greatest(0, least(most, 12));
end $$;
comment on function ledger.recall is 'At most twelve entries; months, never days.';

-- Both at once, for the labels that an agent might ask about: a row a label, in their order. It names nobody
-- itself: the two functions that it calls do, each for itself.
create function ledger.plan(
  p uuid, labels text[], max_tier text, narrowed boolean, only_topics text[]
) returns table (key text, listed boolean, question text, freshness text, answer text, month date)
  language plpgsql stable strict security definer rows 12
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  keys text[] := ledger.keys_read(labels);
begin
  return query
    select case when t.listed then k.key else labels[k.ord] end, coalesce(t.listed, false),
           case when t.listed then t.question end, c.freshness, r.answer, r.month
      from unnest(keys) with ordinality as k(key, ord)
      left join ledger.topic t on t.key = k.key
      left join ledger.coverage(p, keys, false, max_tier, narrowed, only_topics) c on c.topic = k.key
      left join ledger.recall(p, keys, false, max_tier, narrowed, only_topics, 12) r on r.topic = k.key
     order by k.ord;
end $$;

-- ── The registry, as agents see it ───────────────────────────────────────────────────────────────

create function ledger.topics_listed(after_key text, most integer)
  returns table (key text, question text, aliases text[])
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select t.key, t.question,
           array(select a.alias from ledger.topic_alias a where a.key = t.key order by a.alias)
      from ledger.topic t
     where t.listed and t.key > after_key
     order by t.key
     limit most;
end $$;

-- The listed topics whole, with all their labels and the keys that were merged into them: what labels are held
-- against, and what a capture is judged by.
create function ledger.labels_listed()
  returns table (key text, question text, handling text, authority text, aliases text[], retired text[])
  language plpgsql stable strict security definer rows 500
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select t.key, t.question, t.handling, t.authority,
           array(select a.alias from ledger.topic_alias a where a.key = t.key order by a.alias),
           array(select r.key from ledger.retired_key r where r.merged_into = t.key order by r.key)
      from ledger.topic t
     where t.listed
     order by t.key;
end $$;

-- Where labels led once, before an alias was put away or a topic unlisted: a capture under them, or under a slip of
-- them, looks there too for what was taken away.
create function ledger.labels_former()
  returns table (label text, keys text[])
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select f.label, array_agg(f.key order by f.key) from ledger.former_key f group by f.label order by f.label;
end $$;

-- Registers the keys that are not there; no alias and no key that was merged away. It does the same for a key that
-- is there and for one that is not, and the commit does not wait for the disk, which it would for a new key alone.
-- A key that a crash takes with it is coined again when it is named again; an answer under it is on disk together
-- with it. The first time on a day that an unlisted key is named, by itself or by an alias, its row is written anew: the
-- sweep takes away keys that nobody has, but none that was named today (09).
create function ledger.coin_missing(keys text[]) returns void
  language plpgsql as $$
declare
  known text[];
begin
  perform set_config('synchronous_commit', 'off', true);
  perform ledger.lock_in_common();
  insert into ledger.topic (key)
  select distinct k
    from unnest(keys) k
   where not exists (select from ledger.topic_alias a where a.alias = k)
     and not exists (select from ledger.retired_key r where r.key = k)
   order by k
  on conflict do nothing;
  known := array(
    select t.key from ledger.topic t
     where t.key = any (keys || ledger.keys_of(keys)) and not t.listed and not ledger.is_named_today(t.xmin)
     order by t.key);
  if known <> '{}' then
    update ledger.topic t set key = t.key where t.key = any (known);
  end if;
end $$;

-- Says nothing: whether a key was there is nobody's business.
create function ledger.coin(new_key text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.coin_missing(array[new_key]);
end $$;
