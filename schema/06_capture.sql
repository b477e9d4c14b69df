-- 06 · What the application that carries the chats calls
--
-- A capture is two statements. The first turns labels into keys (the gate needs the topic's question
-- and handling, the marks of the barrier need the keys). The second writes what the gate let through,
-- in one transaction, under the principal's lock. It gives back nothing: what a capture answers
-- depends on the request and the listed registry, never on what is stored.

-- Each label's topic, in order. `coin_missing` registers what was not there (not for a day that has yet
-- to come: that request is refused), in a transaction of its own, so that no row of a principal shares
-- its stamp. `names` are the key and its aliases: what was
-- deleted under a key stays deleted after that key was merged.
create function ledger.topics_for(labels text[], coin_missing boolean, said_on date)
  returns table (key text, listed boolean, question text, handling text, authority text, names text[], today date)
  language plpgsql strict security definer rows 4
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
declare
  keys text[] := ledger.keys_of(labels);
begin
  if coin_missing and said_on <= ledger.today() + 1
     and exists (select from unnest(keys) k where not exists (select from ledger.topic t where t.key = k)) then
    perform ledger.lock_in_common();
    keys := ledger.keys_of(labels);  -- an alias may have been put while this waited
    insert into ledger.topic (key)
    select distinct k from unnest(keys) k
     where not exists (select from ledger.topic t where t.key = k)
     order by k
    on conflict do nothing;
  end if;
  return query
    select k.key,
           coalesce(t.listed, false),
           case when t.listed then t.question end,
           case when t.listed then t.handling else 'sealed' end,
           case when t.listed then t.authority end,
           array_prepend(k.key, array(select a.alias from ledger.topic_alias a where a.key = k.key order by a.alias)),
           ledger.today()
      from unnest(keys) with ordinality as k(key, ord)
      left join ledger.topic t on t.key = k.key
     order by k.ord;
end $$;

-- Keeps answers that passed the gate. One answer a topic; `said_on` not after today. `mark_topics`
-- and `marks` name the barriers to look for, topic by topic; `mark_all` is that of all topics. `questions`
-- are those under which the gate judged ('' where there is none): a bare answer under another one would lie.
-- Error LG001: a topic is gone, or has another question or another label since: name the topics again.
create function ledger.capture(
  p uuid, topics text[], questions text[], answers text[], said_on date, mark_topics text[], marks uuid[], mark_all uuid
) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
  set ledger.principal = ''
as $$
#variable_conflict use_column
declare
  handlings    text[];
  keep_days    integer[];
  names        bigint;
  shut         boolean;
  held         boolean;
  put_topics   text[];
  put_answers  text[];
  wait_topics  text[];
  wait_answers text[];
  old_topics   text[];
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);

  select array_agg(ledger.handled(t.listed, t.handling) order by n.ord),
         array_agg(coalesce(t.drop_after, s.drop_after) order by n.ord),
         sum(1 + (select count(*) from ledger.topic_alias a where a.key = t.key))
    into handlings, keep_days, names
    from unnest(topics, questions) with ordinality as n(topic, question, ord)
    join ledger.topic t on t.key = n.topic
     and n.question = case when t.listed then coalesce(t.question, '') else '' end
    join ledger.setting s on s.only_row;
  if coalesce(cardinality(handlings), 0) <> cardinality(topics) or names <> cardinality(marks) then
    raise exception 'a topic has changed' using errcode = 'LG001';
  end if;

  select exists (select from ledger.objection o where o.principal = p) or coalesce(h.erase_asked, false),
         h.principal is not null
    into shut, held
    from (select) as always
    left join ledger.legal_hold h on h.principal = p;
  if shut then
    return;
  end if;

  -- What may be kept, and where. Newest day wins; on the same day the later capture; an older one,
  -- or one that a barrier stops, is dropped without a word.
  select array_agg(k.topic) filter (where not k.waits), array_agg(k.answer) filter (where not k.waits),
         array_agg(k.topic) filter (where k.waits),     array_agg(k.answer) filter (where k.waits),
         array_agg(k.topic) filter (where k.out_of_date)
    into put_topics, put_answers, wait_topics, wait_answers, old_topics
    from (
      select n.topic, n.answer, w.topic is not null as out_of_date, n.handling = 'confirm' and e.answer is distinct from n.answer as waits
        from unnest(topics, answers, handlings, keep_days) as n(topic, answer, handling, keep_days)
        left join ledger.entry e on e.principal = p and e.topic = n.topic
        left join ledger.pending w on w.principal = p and w.topic = n.topic
       where n.handling <> 'forbidden'
         and ledger.age(said_on) < n.keep_days
         and (e.as_of is null or e.as_of <= said_on)
         and (w.as_of is null or w.as_of <= said_on)
         and not (held and (e.as_of is not null or w.as_of is not null))
         and not exists (
           select from ledger.barrier b
            where b.principal = p and b.not_before > said_on
              and (b.mark = mark_all
                   or b.mark in (select m.mark from unnest(mark_topics, marks) as m(topic, mark)
                                  where m.topic = n.topic)))
    ) k;

  if put_topics is not null then
    perform ledger.lay_entries(p, put_topics, put_answers, array_fill(said_on, array[cardinality(put_topics)]), '{}');
  end if;
  -- what waited for his yes on these topics is out of date
  if old_topics is not null then
    delete from ledger.pending w where w.principal = p and w.topic = any (old_topics);
  end if;
  if wait_topics is not null then
    insert into ledger.pending (principal, topic, answer, as_of)
    select p, n.topic, n.answer, said_on from unnest(wait_topics, wait_answers) as n(topic, answer);
  end if;
  if old_topics is not null or wait_topics is not null then
    perform ledger.lay('ledger.pending', p);
  end if;
end $$;

-- Confirms an entry that would now be offered as a question, or takes it back. `acted` and the age
-- are for the figures alone (outcome_add); no caller outside hears of them.
create function ledger.reconfirm(
  p uuid, the_topic text, said_on date, still_true boolean, mark uuid, marks uuid[], mark_all uuid
) returns table (acted boolean, age_weeks integer)
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
  set ledger.principal = ''
as $$
#variable_conflict use_column
declare
  topic_row record;
  old       record;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  select t.listed,
         coalesce(t.reconfirm_after, s.reconfirm_after) as reconfirm_after,
         coalesce(t.drop_after, s.drop_after) as drop_after
    into topic_row
    from ledger.topic t
    join ledger.setting s on s.only_row
   where t.key = the_topic and t.handling <> 'forbidden';
  if not found then
    return query select false, 0;
    return;
  end if;
  select e.answer, e.as_of
    into old
    from ledger.entry e
   where e.principal = p and e.topic = the_topic
     and ledger.freshness(ledger.age(e.as_of), topic_row.reconfirm_after, topic_row.drop_after) = 'reconfirm'
     and e.as_of < said_on
     and exists (select from ledger.consent c where c.principal = p and c.decision = 'granted')
     and not exists (select from ledger.objection o where o.principal = p)
     and not exists (select from ledger.legal_hold h where h.principal = p)
     and not exists (select from ledger.withheld w where w.principal = p and w.topic = the_topic)
     and not exists (select from ledger.barrier b
                      where b.principal = p and b.not_before > said_on
                        and (b.mark = mark_all or b.mark = any (marks)));
  if not found then
    return query select false, 0;
    return;
  end if;
  if still_true then
    perform ledger.lay_entries(p, array[the_topic], array[old.answer], array[said_on], '{}');
  else
    perform ledger.lay_entries(p, '{}', '{}', '{}', array[the_topic]);
    perform ledger.bar(p, mark, ledger.today());
    perform ledger.note(p, 'taken_back', 1);
  end if;
  return query select topic_row.listed, ledger.age(old.as_of) / 7;
end $$;

-- A reconfirmation came out so: without a principal, and in a transaction of its own.
create function ledger.outcome_add(the_topic text, weeks integer, came_true boolean) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  insert into ledger.outcome as o (topic, age_weeks, still_true, n)
  values (the_topic, weeks, came_true, 1)
  on conflict (topic, age_weeks, still_true) do update set n = o.n + 1;
end $$;
