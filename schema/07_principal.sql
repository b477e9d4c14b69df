-- 07 · What the principals themselves call
--
-- They see what is kept about them, correct it, take it away, decide. What they do themselves outranks
-- every capture said up to that day: the barrier stands till tomorrow.

-- Their entries and what waits for their yes. Dropped ones only for the export. Hidden, all of it, once
-- they asked for erasure and a legal hold keeps it from being done.
create function ledger.own_entries(p uuid, with_dropped boolean)
  returns table (topic text, answer text, as_of date, freshness text, fresh_until date, kept_until date,
                 withheld boolean, pending boolean, question text)
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  topics  text[];
  answers text[];
  days    date[];
  waiting boolean[];
  kept    text[];
  hold    record;
begin
  perform ledger.name_principal(p);
  select h.postponed, h.postponed_waiting
    into hold from (select) one left join ledger.legal_hold h on h.principal = p;
  if exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked) then
    perform ledger.name_nobody();
    return;
  end if;
  select array_agg(e.topic), array_agg(e.answer), array_agg(least(e.as_of, ledger.today())), array_agg(e.pending)
    into topics, answers, days, waiting
    from (select topic, answer, as_of, false as pending from ledger.entry where principal = p
          union all
          select topic, answer, as_of, true from ledger.pending where principal = p) e;
  kept := array(select w.topic from ledger.withheld w where w.principal = p) || hold.postponed;
  return query
    select o.topic, o.answer, o.as_of, o.freshness,
           o.as_of + o.reconfirm_after, o.as_of + o.drop_after - 1,
           o.topic = any (kept), o.pending, o.question
      from (select e.*,
                   -- a bare answer that a hold alone keeps may be from under another question (08, drop_answers)
                   case when t.listed
                         and e.topic = any (case when e.pending then hold.postponed_waiting else hold.postponed end) is not true
                        then t.question end as question,
                   coalesce(t.reconfirm_after, s.reconfirm_after) as reconfirm_after,
                   coalesce(t.drop_after, s.drop_after) as drop_after,
                   ledger.freshness(ledger.age(e.as_of), coalesce(t.reconfirm_after, s.reconfirm_after),
                                             coalesce(t.drop_after, s.drop_after)) as freshness
              from unnest(topics, answers, days, waiting) as e(topic, answer, as_of, pending)
              join ledger.setting s on s.only_row
              left join ledger.topic t on t.key = e.topic) o
     where with_dropped or o.freshness <> 'dropped'
     order by o.topic, o.pending;
  perform ledger.name_nobody();
end $$;

-- Corrects an answer in their own words, or answers what was waiting for their yes. `asked` is the question that a
-- bare answer leans on, '' where it stands alone. LG003: nothing there. LG004: another question is asked by now.
create function ledger.own_correct(p uuid, the_topic text, new_answer text, asked text, mark uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  perform ledger.refuse_under_hold(p);
  if not exists (select from ledger.entry e where e.principal = p and e.topic = the_topic)
     and not exists (select from ledger.pending w where w.principal = p and w.topic = the_topic) then
    raise exception 'no such entry' using errcode = 'LG003';
  end if;
  if asked <> '' and not exists (select from ledger.topic t where t.key = the_topic and t.listed and t.question = asked) then
    raise exception 'the topic has changed' using errcode = 'LG004';
  end if;
  perform ledger.lay_entries(p, array[the_topic], array[new_answer], ledger.today(), '{}');
  delete from ledger.pending w where w.principal = p and w.topic = the_topic;
  perform ledger.lay('ledger.pending', p);
  perform ledger.bar(p, mark, 'deleted', ledger.today() + 1);
  perform ledger.note(p, 'corrected', 1);
  perform ledger.name_nobody();
end $$;

create function ledger.own_delete(p uuid, the_topic text, mark uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  perform ledger.refuse_under_hold(p);
  if not exists (select from ledger.entry e where e.principal = p and e.topic = the_topic)
     and not exists (select from ledger.pending w where w.principal = p and w.topic = the_topic) then
    raise exception 'no such entry' using errcode = 'LG003';
  end if;
  perform ledger.lay_entries(p, '{}', '{}', null, array[the_topic]);
  delete from ledger.pending w where w.principal = p and w.topic = the_topic;
  perform ledger.lay('ledger.pending', p);
  perform ledger.bar(p, mark, 'deleted', ledger.today() + 1);
  perform ledger.note(p, 'deleted', 1);
  perform ledger.name_nobody();
end $$;

-- Their yes, or their no, to an answer that waits. LG003: none does; nor does one that is out of date, since a
-- newer answer stands, wait for a yes any more.
create function ledger.own_decide(p uuid, the_topic text, keep boolean, mark uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  waiting record;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  perform ledger.refuse_under_hold(p);
  delete from ledger.pending w where w.principal = p and w.topic = the_topic
  returning w.answer, w.as_of into waiting;
  if not found
     or keep and exists (select from ledger.entry e
                          where e.principal = p and e.topic = the_topic and e.as_of > waiting.as_of) then
    raise exception 'nothing waits' using errcode = 'LG003';
  end if;
  perform ledger.lay('ledger.pending', p);
  if keep then
    perform ledger.lay_entries(p, array[the_topic], array[waiting.answer], waiting.as_of, '{}');
    perform ledger.note(p, 'confirmed', 1);
  else
    perform ledger.bar(p, mark, 'declined', ledger.today() + 1);
    perform ledger.note(p, 'declined', 1);
  end if;
  perform ledger.name_nobody();
end $$;

-- ── Topics that they withhold ────────────────────────────────────────────────────────────────────

-- All of them, with or without an answer. Hidden like the answers once an erasure waits for the end of a hold.
create function ledger.own_withheld(p uuid) returns table (topic text)
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
begin
  perform ledger.name_principal(p);
  return query
    select w.topic from ledger.withheld w
     where w.principal = p
       and not exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked)
     order by w.topic;
  perform ledger.name_nobody();
end $$;

-- Keeps a topic back from all agents, or lets it go again. It is the one that a capture of the same label would be
-- kept under; nobody need have said anything on it, or coined it, and no one is told whether that is so. LG002: an
-- erasure waits, which would take what is withheld too.
create function ledger.own_withhold(p uuid, label text, keep_back boolean) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  changed integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  if exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked) then
    perform ledger.refuse_under_hold(p);
  end if;
  if keep_back then
    insert into ledger.withheld (principal, topic)
    values (p, (ledger.keys_of(array[label]))[1])
    on conflict do nothing;
  else
    delete from ledger.withheld w where w.principal = p and w.topic = label;
  end if;
  get diagnostics changed = row_count;
  if changed > 0 then
    perform ledger.lay('ledger.withheld', p);
    perform ledger.note(p, case when keep_back then 'withheld' else 'released' end, 1);
  end if;
  perform ledger.name_nobody();
end $$;

-- ── Consent and objection ────────────────────────────────────────────────────────────────────────

create function ledger.own_consent(p uuid)
  returns table (decision text, decided_on date, notice text, tier text)
  language plpgsql strict security definer rows 1
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  undecided text;
  shut      boolean;
begin
  perform ledger.name_principal(p);
  select s.undecided_tier into undecided from ledger.setting s where s.only_row;
  shut := exists (select from ledger.objection o where o.principal = p)
       or exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked);
  return query
    select c.decision, c.decided_on, c.notice,
           case when shut then 'none'
                when c.decision = 'granted' then 'full'
                when c.decision is null then undecided
                else 'none' end
      from (select 1) one
      left join ledger.consent c on c.principal = p;
  perform ledger.name_nobody();
end $$;

-- Grants or revokes, where what stands is still as `expected`: decision, decided_on and notice, each null while
-- there is no decision; an empty document expects nothing. LG004: something else stands by now.
create function ledger.own_decide_consent(p uuid, new_decision text, new_notice text, expected jsonb) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  if not (select jsonb_build_object('decision', c.decision, 'decided_on', c.decided_on, 'notice', c.notice) @> expected
            from (select) one
            left join ledger.consent c on c.principal = p) then
    raise exception 'the decision has changed' using errcode = 'LG004';
  end if;
  delete from ledger.consent c where c.principal = p;
  insert into ledger.consent (principal, decision, decided_on, notice)
  values (p, new_decision, ledger.today(), new_notice);
  insert into ledger.consent_history (principal, decided_on, decision, notice)
  values (p, ledger.today(), new_decision, new_notice)
  on conflict do nothing;
  perform ledger.lay('ledger.consent_history', p);
  perform ledger.note(p, 'consent_' || new_decision, 1);
  perform ledger.name_nobody();
end $$;

create function ledger.own_receipts(p uuid)
  returns table (decision text, decided_on date, notice text)
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
begin
  perform ledger.name_principal(p);
  return query
    select h.decision, h.decided_on, h.notice from ledger.consent_history h
     where h.principal = p
     order by h.decided_on desc, h.decision, h.notice;
  perform ledger.name_nobody();
end $$;

-- "Do not remember me", or that no longer. When it is lifted a barrier stands against all topics: what was said
-- while it stood, and is captured late, is not kept.
create function ledger.own_object(p uuid, objects boolean, mark_all uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  changed integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  if objects then
    insert into ledger.objection (principal) values (p) on conflict do nothing;
  else
    delete from ledger.objection o where o.principal = p;
  end if;
  get diagnostics changed = row_count;
  if changed > 0 and not objects then
    perform ledger.bar(p, mark_all, 'said_before', ledger.today() + 1);
  end if;
  perform ledger.note(p, case when objects then 'objected' else 'objection_lifted' end, changed);
  perform ledger.name_nobody();
end $$;

-- ── Taking it away, erasing it ───────────────────────────────────────────────────────────────────

-- Everything else that is kept about them.
create function ledger.own_rest(p uuid)
  returns table (objection boolean, legal_hold boolean, erase_asked boolean,
                 barriers date[], audit_days date[], audit_actions text[], audit_counts integer[])
  language plpgsql strict security definer rows 1
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
begin
  perform ledger.name_principal(p);
  return query
    select exists (select from ledger.objection o where o.principal = p),
           exists (select from ledger.legal_hold h where h.principal = p),
           exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked),
           array(select b.not_before from ledger.barrier b where b.principal = p order by b.not_before),
           array(select a.on_day from ledger.audit a where a.principal = p order by a.on_day, a.action),
           array(select a.action from ledger.audit a where a.principal = p order by a.on_day, a.action),
           array(select a.n      from ledger.audit a where a.principal = p order by a.on_day, a.action);
  perform ledger.name_nobody();
end $$;

-- What an erasure leaves: a refusal stands (a grant becomes one), an objection stands, and a barrier
-- against what was said up to today. Used by own_erase and by the lifting of a hold. The list of what was withheld goes
-- with erase_rest, in a transaction of its own: the record (09) must hold that all is erased before it lets go of that.
create function ledger.erase_now(p uuid, mark_all uuid) returns void
  language plpgsql as $$
begin
  delete from ledger.entry e where e.principal = p;
  delete from ledger.pending w where w.principal = p;
  delete from ledger.consent_history h where h.principal = p;
  perform ledger.revoke_a_grant(p);
  insert into ledger.consent_history (principal, decided_on, decision, notice)
  select c.principal, c.decided_on, c.decision, c.notice from ledger.consent c where c.principal = p
  on conflict do nothing;
  perform ledger.bar(p, mark_all, 'erased', ledger.today() + 1);
  perform ledger.note(p, 'erased', 1);
end $$;

create function ledger.revoke_a_grant(p uuid) returns void
  language plpgsql as $$
declare
  granted record;
begin
  delete from ledger.consent c where c.principal = p and c.decision = 'granted'
  returning c.notice into granted;
  if found then
    insert into ledger.consent (principal, decision, decided_on, notice)
    values (p, 'revoked', ledger.today(), granted.notice);
    insert into ledger.consent_history (principal, decided_on, decision, notice)
    values (p, ledger.today(), 'revoked', granted.notice)
    on conflict do nothing;
    perform ledger.lay('ledger.consent_history', p);
  end if;
end $$;

create function ledger.own_erase(p uuid, mark_all uuid)
  returns table (entries integer, pending integer, withheld integer, on_hold boolean)
  language plpgsql strict security definer rows 1
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  n_entries  integer;
  n_pending  integer;
  n_withheld integer;
  held       boolean;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  n_entries  := (select count(*) from ledger.entry e where e.principal = p);
  n_pending  := (select count(*) from ledger.pending w where w.principal = p);
  n_withheld := (select count(*) from ledger.withheld w where w.principal = p);
  held := exists (select from ledger.legal_hold h where h.principal = p);
  if held then
    delete from ledger.legal_hold h where h.principal = p;
    insert into ledger.legal_hold (principal, erase_asked) values (p, true);
    perform ledger.revoke_a_grant(p);
    perform ledger.bar(p, mark_all, 'erased', ledger.today() + 1);
    perform ledger.note(p, 'erase_asked', 1);
  else
    perform ledger.erase_now(p, mark_all);
  end if;
  return query select n_entries, n_pending, n_withheld, held;
  perform ledger.name_nobody();
end $$;

-- The rest of an erasure of today: what they withheld, and the barriers that the erasure's own includes. Does nothing
-- where there was none, or where a hold keeps it waiting.
create function ledger.erase_rest(p uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  until date;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  select max(b.not_before) into until from ledger.barrier b where b.principal = p and b.what = 'erased';
  if until < ledger.today() is not false or exists (select from ledger.legal_hold h where h.principal = p) then
    perform ledger.name_nobody();
    return;
  end if;
  delete from ledger.withheld w where w.principal = p;
  delete from ledger.barrier b where b.principal = p and b.what <> 'erased' and b.not_before <= until;
  perform ledger.lay('ledger.barrier', p);
  perform ledger.name_nobody();
end $$;

-- Why an agent sees nothing: what the gate looks at, for one topic. For the principal's side and for
-- whoever runs the deployment; no agent may call it. Once they asked for erasure it is as if there were nothing.
create function ledger.own_state(p uuid, label text)
  returns table (key text, known boolean, listed boolean, handling text, as_of date, freshness text, pending boolean,
                 withheld boolean, decision text, objection boolean, legal_hold boolean, erase_asked boolean,
                 undecided_tier text, visible_from text, today date)
  language plpgsql strict security definer rows 1
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
#variable_conflict use_column
declare
  the_key text := (ledger.keys_of(array[label]))[1];
  day     date;
  erasing boolean;
begin
  perform ledger.name_principal(p);
  erasing := exists (select from ledger.legal_hold h where h.principal = p and h.erase_asked);
  if not erasing then
    select least(e.as_of, ledger.today()) into day from ledger.entry e where e.principal = p and e.topic = the_key;
  end if;
  return query
    select the_key, t.key is not null, coalesce(t.listed, false), coalesce(t.handling, 'sealed'), day,
           case when day is not null then
             ledger.freshness(ledger.age(day), coalesce(t.reconfirm_after, s.reconfirm_after), coalesce(t.drop_after, s.drop_after))
           end,
           not erasing and exists (select from ledger.pending w where w.principal = p and w.topic = the_key),
           not erasing
             and (exists (select from ledger.withheld w where w.principal = p and w.topic = the_key)
                  or exists (select from ledger.legal_hold h where h.principal = p and the_key = any (h.postponed))),
           (select c.decision from ledger.consent c where c.principal = p),
           exists (select from ledger.objection o where o.principal = p),
           exists (select from ledger.legal_hold h where h.principal = p),
           erasing,
           s.undecided_tier, s.visible_from, ledger.today()
      from ledger.setting s
      left join ledger.topic t on t.key = the_key
     where s.only_row;
  perform ledger.name_nobody();
end $$;
