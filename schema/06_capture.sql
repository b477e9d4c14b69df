-- 06 · What the application that carries the chats calls
--
-- The application knows the listed topics (labels_listed, a few seconds old at the most), judges by them, and
-- says what it took for granted. `ledger.capture` keeps the answers, or says "the registry has it otherwise" (an
-- alias that moved, a topic that was merged away, a question that changed); then the application reads the registry
-- anew and judges again. A capture of listed topics is that one statement. Where an accepted answer is on
-- a topic that is not listed, topics_for comes before it, whether the key was there or not. Nothing else is ever given
-- back: what a capture answers depends on the request and the listed registry, never on what is stored of a principal.
--
-- `names` are the keys under which something may have been taken away that an answer would bring back: the topic's
-- first, those that were merged into it, and those to which the label led before operators moved it, or would lead by
-- itself. `marks` are their hashes, which only the application can make (02_tables.sql, barrier), and last that of all topics.
-- Error LG006: the day has yet to come. Tomorrow (UTC) is read as today: somewhere it is.

create function ledger.day_of(said_on date) returns date
  language plpgsql stable as $$
begin
  if said_on > ledger.today() + 1 then
    raise exception 'that day has yet to come' using errcode = 'LG006';
  elsif not isfinite(said_on) then
    raise exception 'that is no day' using errcode = '22008';
  end if;
  return least(said_on, ledger.today());
end $$;

-- Where an answer under each label is kept, in order: the key, whether it is listed after all, and its names (the
-- key and the keys that were merged into it: what was deleted under those stays deleted). `coin_missing`
-- registers what is not there, in a transaction of its own, so that no row of a principal shares its stamp. An
-- alias of a topic that is not listed is never coined: what is said under it is kept with its topic.
create function ledger.topics_for(labels text[], coin_missing boolean, said_on date)
  returns table (key text, listed boolean, names text[])
  language plpgsql strict security definer rows 4
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  perform ledger.day_of(said_on);
  if coin_missing then
    perform ledger.coin_missing(labels);
  end if;
  return query
    select k.key,
           exists (select from ledger.topic t where t.key = k.key and t.listed),
           array_prepend(k.key, array(select r.key from ledger.retired_key r where r.merged_into = k.key order by r.key))
      from unnest(ledger.keys_of(labels)) with ordinality as k(key, ord)
     order by k.ord;
end $$;

-- How a topic that is not listed is handled: as strictly as any to which its label led, or may lead. A topic that was
-- unlisted keeps its handling, and so do its other labels, till operators list them.
create function ledger.handled_before(handling text, names text[]) returns text
  language plpgsql stable as $$
begin
  return (
    select h.handling
      from (select handled_before.handling
            union all
            select t.handling from ledger.topic t where t.key = any (names) and t.handling is not null) h
     order by ledger.strictness(h.handling) desc
     limit 1);
end $$;

-- Keeps answers that passed the gate: a list of {topic, label, answer, question, names, marks}, one a topic.
-- `label` is the one that was taken for the topic's. `question` is the one under which the gate judged a bare
-- answer, which would lie under another; null where the answer stands alone. True: as far as they may be kept they are, and nobody is told how far.
-- Newest day wins; on the same day the later capture. An answer without words, or two on one topic, is an
-- error whatever is stored. False: the registry has it otherwise, and nothing is
-- kept.
create function ledger.capture(p uuid, said_on date, answers jsonb) returns boolean
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  day          date    := ledger.day_of(said_on);
  today        date    := ledger.today();
  his          record;
  new          record;
  about        record;
  old          record;
  put_topics   text[]  := '{}';
  put_answers  text[]  := '{}';
  wait_topics  text[]  := '{}';
  wait_answers text[]  := '{}';
  late_topics  text[]  := '{}';
  past_topics  text[]  := '{}';
  past         integer := 0;
  named        text[]  := '{}';
  keep_back    text[]  := '{}';
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  perform ledger.refuse_while_ahead();

  -- held: null where no hold stands; true where his erasure waits for its end
  select exists (select from ledger.objection o where o.principal = p) as objects,
         (select h.erase_asked from ledger.legal_hold h where h.principal = p) as held,
         array(select b.mark::text from ledger.barrier b
                where b.principal = p and least(b.not_before, today + 1) > day) as barred,
         -- what they withhold, and whose key was lost with an older state of this database (09, record)
         array(select ledger.mark_in(w.topic)::text from ledger.withheld w
                where w.principal = p and ledger.mark_in(w.topic) is not null) as unnamed
    into his;

  for new in
    select a.topic, a.label, a.answer, a.question, a.names, a.marks
      from jsonb_to_recordset(answers)
             as a(topic text, label text, answer text, question text, names text[], marks jsonb)
  loop
    if char_length(new.answer) between 1 and 500 is not true or new.topic = any (named) then
      raise exception 'answers have words, and a topic has one' using errcode = '22023';
    end if;
    named := named || new.topic;

    select t.listed, t.question, ledger.handled(t.listed, t.handling) as handling,
           t.listed or ledger.is_named_today(t.xmin) as stays,
           coalesce(t.drop_after, s.drop_after) as drop_after,
           array(select r.key from ledger.retired_key r where r.merged_into = t.key) as retired
      into about
      from ledger.topic t
      join ledger.setting s on s.only_row
     where t.key = new.topic;
    if not found
       or not about.stays  -- the sweep may be taking it away at this moment: it is to be coined again
       or about.listed and about.handling = 'forbidden'
       or new.question is not null and (about.listed and new.question = about.question) is not true
       or exists (select from ledger.topic_alias a where a.alias = new.label and a.key <> new.topic)
       or (new.names @> (about.retired || new.topic)) is not true
       or jsonb_array_length(new.marks) is distinct from cardinality(new.names) + 1 then
      perform ledger.name_nobody();
      return false;
    end if;
    if not about.listed and cardinality(new.names) > 1 then
      about.handling := ledger.handled_before(about.handling, new.names);
    end if;

    -- no day stays none: least() would make it today
    select e.answer, case when e.as_of is not null then least(e.as_of, today) end as as_of,
           case when w.as_of is not null then least(w.as_of, today) end as waits_since
      into old
      from (select) one
      left join ledger.entry e on e.principal = p and e.topic = new.topic
      left join ledger.pending w on w.principal = p and w.topic = new.topic;

    -- dropped without a word: he is not to be remembered; a hold keeps what is there; this must not be
    -- kept, or not any more; something newer is there; he deleted what was said before
    continue when his.objects or his.held
      or his.held is not null and (old.as_of is not null or old.waits_since is not null)
      or about.handling = 'forbidden' or today - day >= about.drop_after
      or old.as_of > day or old.waits_since > day
      or new.marks ?| his.barred;

    -- What is past its window goes as in a sweep, so that nothing tells which of the two came first.
    if today - old.as_of >= about.drop_after then
      past_topics := past_topics || new.topic;
      past := past + 1;
      old.answer := null;
    end if;
    if today - old.waits_since >= about.drop_after then
      past := past + 1;
    end if;

    if cardinality(new.names) > 1
       and exists (select from ledger.withheld w where w.principal = p and w.topic = any (new.names)) then
      keep_back := keep_back || new.topic;
    end if;
    if new.marks ?| his.unnamed then
      delete from ledger.withheld w where w.principal = p and new.marks ? ledger.mark_in(w.topic)::text;
      insert into ledger.withheld (principal, topic) values (p, new.topic) on conflict do nothing;
      perform ledger.lay('ledger.withheld', p);
    end if;

    if old.waits_since is not null then
      late_topics := late_topics || new.topic;
    end if;
    if about.handling = 'confirm' and old.answer is distinct from new.answer then
      wait_topics  := wait_topics || new.topic;
      wait_answers := wait_answers || new.answer;
    else
      put_topics  := put_topics || new.topic;
      put_answers := put_answers || new.answer;
    end if;
  end loop;

  if put_topics || past_topics <> '{}' then
    perform ledger.lay_entries(p, put_topics, put_answers, day, past_topics);
  end if;
  perform ledger.note(p, 'expired', past);
  if late_topics <> '{}' then  -- what waited for his yes there is out of date
    delete from ledger.pending w where w.principal = p and w.topic = any (late_topics);
  end if;
  if wait_topics <> '{}' then
    insert into ledger.pending (principal, topic, answer, as_of)
    select p, n.topic, n.answer, day from unnest(wait_topics, wait_answers) as n(topic, answer);
  end if;
  if late_topics <> '{}' or wait_topics <> '{}' then
    perform ledger.lay('ledger.pending', p);
  end if;
  if keep_back <> '{}' then  -- what they keep back under the label's other keys they keep back here too
    insert into ledger.withheld (principal, topic)
    select p, k.key from unnest(keep_back) k(key) order by k.key
    on conflict do nothing;
    if found then
      perform ledger.lay('ledger.withheld', p);
    end if;
  end if;
  if put_topics || past_topics || late_topics || wait_topics = '{}' then
    perform ledger.wait_for_the_disk();
  end if;
  perform ledger.name_nobody();
  return true;
end $$;

-- ── "Is that still so?" ──────────────────────────────────────────────────────────────────────────
-- A reconfirmation acts only on an entry that would now be offered as a question in tier full. It is two
-- statements, each a transaction of its own: the figure, without a principal, and then the act. Both find
-- by themselves whether there is something to do; neither tells.

create function ledger.offered(p uuid, the_topic text, day date, marks uuid[])
  returns table (answer text, listed boolean, age_weeks integer)
  language plpgsql stable as $$
#variable_conflict use_column
declare
  asked_of record;
begin
  select t.listed, coalesce(t.reconfirm_after, s.reconfirm_after) as reconfirm_after,
         coalesce(t.drop_after, s.drop_after) as drop_after
    into asked_of
    from ledger.topic t
    join ledger.setting s on s.only_row
   where t.key = the_topic and t.handling is distinct from 'forbidden';
  if not found then
    return;
  end if;
  return query
    select e.answer, asked_of.listed, ledger.age(e.as_of) / 7
      from ledger.entry e
     where e.principal = p and e.topic = the_topic
       and ledger.freshness(ledger.age(e.as_of), asked_of.reconfirm_after, asked_of.drop_after) = 'reconfirm'
       and e.as_of < day
       and exists (select from ledger.consent c where c.principal = p and c.decision = 'granted')
       and not exists (select from ledger.objection o where o.principal = p)
       and not exists (select from ledger.legal_hold h where h.principal = p)
       and not exists (select from ledger.withheld w where w.principal = p and w.topic = the_topic)
       and not exists (select from ledger.barrier b
                        where b.principal = p and least(b.not_before, ledger.today() + 1) > day
                          and b.mark = any (marks));
end $$;
comment on function ledger.offered is 'His entry on a topic, where it would now be offered as a question; else no row.';

-- Counts how the reconfirmation that is about to be made comes out.
create function ledger.outcome_add(p uuid, the_topic text, said_on date, still_true boolean, marks uuid[]) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  perform ledger.refuse_while_ahead();
  insert into ledger.outcome as x (topic, age_weeks, still_true, n)
  select the_topic, o.age_weeks, outcome_add.still_true, 1
    from ledger.offered(p, the_topic, ledger.day_of(said_on), marks) o
   where o.listed
  on conflict (topic, age_weeks, still_true) do update set n = x.n + 1;
  if not found then
    perform ledger.wait_for_the_disk();
  end if;
  perform ledger.name_nobody();
end $$;

-- Confirms the entry, or takes it back; what waited for his yes from an earlier day is out of date. The
-- first of `marks` is that of the topic's key.
create function ledger.reconfirm(p uuid, the_topic text, said_on date, still_true boolean, marks uuid[]) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  day   date := ledger.day_of(said_on);
  words text;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  perform ledger.refuse_while_ahead();
  select o.answer into words from ledger.offered(p, the_topic, day, marks) o;
  if not found then
    perform ledger.wait_for_the_disk();
  elsif still_true then
    perform ledger.lay_entries(p, array[the_topic], array[words], day, '{}');
    delete from ledger.pending w where w.principal = p and w.topic = the_topic and w.as_of <= day;
    if found then
      perform ledger.lay('ledger.pending', p);
    end if;
  else
    perform ledger.lay_entries(p, '{}', '{}', null, array[the_topic]);
    perform ledger.bar(p, marks[1], 'deleted', ledger.today());
    perform ledger.note(p, 'taken_back', 1);
  end if;
  perform ledger.name_nobody();
end $$;
