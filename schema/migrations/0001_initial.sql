-- The answer ledger, in twelve files to be read in their order
--
--   01 roles      who may run what             07 principal  what he calls who the answers are of
--   02 tables     all that can be kept         08 operator   what the product team calls
--   03 policies   the wall between rows        09 record     what was taken away, for another database
--                                              09 sweeper    what deletes and stamps anew
--   04 tools      clock, locks, order on disk  10 grants     every right, on one page
--   05 agent      what agents call             11 closed     no column can be added in haste
--   06 capture    what the application calls
--
-- The promise: whoever holds all of this database can't tell in which conversation an answer was given.
-- Why they can't: there is no column for it (02); and what the server keeps by itself, such as the number of
-- the transaction that wrote a row (its xmin) or the place where it lies, is the same for all rows of a person
-- in a table after each write, and for all that was written on one day after the first sweep of the next (04, 09).
--
-- What remains, and docs/threat-model.md tells: whoever also holds the chats can search them for the words. A
-- topic's key is a word that an agent coined. Rows written today tell the order of writing, and so
-- do dead rows until VACUUM, the write-ahead log, and copies of either; the stamp of a sweep tells its day.
--
-- Words, in the order in which they are met:
--   principal   the person whose answers are kept; here he is a keyed hash (02)
--   pepper      the secret of the keyed hashes; it never comes here
--   topic       what an answer is about; an agent coins its key, and it is *listed* once an operator approved it
--   entry       one answer of his on one topic, in his own words
--   gate        the part of the application that lets only literal, unturned words in, before they come here
--   bare        of an answer: "no", "the same"; it means nothing without its question
--   handling    of a topic: open, agents may know that it is covered before he consents; sealed, after he did;
--               confirm, an answer waits for his own yes; forbidden, nothing is kept
--   tier        what agents may read of him: none; topics, which topics are covered; full, the words
--   notice      the text that a principal is shown before they decide; it is named by its version (v1)
--   withheld    a topic that he keeps back from all agents
--   window      from which age an answer is asked again, and from which it is gone
--   cut         the transaction between the last write of one day and the first of the next
--   sweep       the daily job that deletes what is past its window, and stamps the rows of earlier days anew (a
--               *re-stamp*)
--   barrier     keeps what was deleted from coming back; its *mark* does not say what it was
--   token       what an agent shows to the application
--   record      what was taken away and still stands, kept apart from this database (09)
--   surface     a login; a *definer* is the role that a function runs as (below)
--
-- Errors of our own: LG002 a legal hold stands · LG003 no such thing · LG004 it has changed since it was read ·
-- LG005 the alias is a topic · LG006 the day has yet to come · LG007 a role is there with rights that it
-- must not have · LG008 the columns are closed · LG009 the day has not been cut from the last one ·
-- LG010 the label is taken · LG011 the roles are of another installer · LG012 the record is ahead of this database.
-- None repeats a value.

-- 01 · Roles
--
-- Two kinds. A *surface* logs in, holds EXECUTE on its own functions (10_grants.sql), and has no
-- privilege on any table. A *definer* never logs in: the functions run as it, under row-level
-- security that it may not bypass (03_policies.sql).
--
--   surface             its functions run as                        which may touch
--   ------------------  ------------------------------------------  ------------------------------------
--   ledger_agent        ledger_agent_keys                           which topics are covered; never `answer`
--                       ledger_agent_content                        answers, of a consenting principal
--                       ledger_registrar                            the registry
--   ledger_capture      ledger_registrar, ledger_writer             one principal's rows
--   ledger_principal    ledger_own_reader, ledger_writer            one principal's rows
--   ledger_operator     ledger_registrar                            the registry and the settings
--                       ledger_custodian                            everybody's rows; gives back the topic
--                       ledger_writer                               one principal's rows (legal holds)
--   ledger_sweeper      ledger_custodian                            everybody's rows; gives back counts
--                       ledger_owner                                no row: writes small tables anew (09)
--
-- Roles belong to the whole cluster: two databases in it share them, and passwords are set by
-- `answer-ledger migrate`, not here. A role of such a name that is there already, with rights that it
-- must not have, stops the installation (LG007), and so does one that another installer has made (LG011): who installs
-- may become any of them, so the ledgers of a cluster have one installer.

do $$
declare
  name text;
begin
  foreach name in array array[
    'ledger_owner', 'ledger_agent_keys', 'ledger_agent_content', 'ledger_own_reader',
    'ledger_writer', 'ledger_registrar', 'ledger_custodian'
  ] loop
    begin
      execute format('create role %I nologin nosuperuser nobypassrls nocreatedb nocreaterole noreplication', name);
    exception when duplicate_object or unique_violation then
      null;  -- another database of this cluster has made it
    end;
    -- An installer that is no superuser must be able to hand functions over to their definers.
    begin
      if not (select rolsuper from pg_roles where rolname = current_user) then
        execute format('grant %I to current_user', name);
      end if;
    exception when insufficient_privilege then
      raise exception 'the roles of the ledger are of another installer' using errcode = 'LG011';
    end;
  end loop;

  foreach name in array array[
    'ledger_agent', 'ledger_capture', 'ledger_principal', 'ledger_operator', 'ledger_sweeper'
  ] loop
    begin
      execute format('create role %I login nosuperuser nobypassrls nocreatedb nocreaterole noreplication noinherit', name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    -- The tables of principals keep no statistics (they would hold values of deleted rows), so the
    -- planner would guess thousands of rows a principal. These settings pin the plans that are right
    -- for a handful of rows found by key.
    execute format('alter role %I set jit = off', name);
    execute format('alter role %I set plan_cache_mode = force_generic_plan', name);
    execute format('alter role %I set enable_seqscan = off', name);
    execute format('alter role %I set enable_bitmapscan = off', name);
    execute format('alter role %I set enable_hashjoin = off', name);
    execute format('alter role %I set enable_mergejoin = off', name);
    execute format('alter role %I set timezone = ''UTC''', name);
    -- A transaction that is left open holds the sweep up.
    execute format('alter role %I set idle_in_transaction_session_timeout = ''1min''', name);
  end loop;

  -- The sweeper works on everybody at once: there hashing and scanning are right.
  alter role ledger_sweeper set enable_seqscan = on;
  alter role ledger_sweeper set enable_hashjoin = on;
  alter role ledger_sweeper set plan_cache_mode = auto;
  -- It takes whole tables for itself (09): others are not to queue behind it for long while it waits for its turn,
  -- such as for the end of a dump.
  alter role ledger_sweeper set lock_timeout = '200ms';
end $$;

do $$
declare
  ours name[] := array[
    'ledger_owner', 'ledger_agent_keys', 'ledger_agent_content', 'ledger_own_reader', 'ledger_writer',
    'ledger_registrar', 'ledger_custodian',
    'ledger_agent', 'ledger_capture', 'ledger_principal', 'ledger_operator', 'ledger_sweeper'];
begin
  if exists (select from pg_roles r
              where r.rolname = any (ours)
                and (r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication
                     or r.rolcanlogin and r.rolname = any (ours[1:7])))
     -- none of them belongs to a role
     or exists (select from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname = any (ours)) then
    raise exception 'a role of the ledger is there already, with rights that it must not have'
      using errcode = 'LG007';
  end if;
  -- and to none of them anybody but the installer
  if exists (select from pg_auth_members m
               join pg_roles r on r.oid = m.roleid
               join pg_roles b on b.oid = m.member
              where r.rolname = any (ours) and b.rolname <> current_user and not b.rolsuper) then
    raise exception 'the roles of the ledger are of another installer, or of somebody else besides'
      using errcode = 'LG011';
  end if;
end $$;
-- 02 · Tables
--
-- What is not here is the point. No thread, counterparty, agent, session, message or address; no
-- instant (a date at the most); no serial number and no time-ordered id; no foreign key from a
-- principal's row to the registry: its check locks the topic's row, and the server keeps the number of the
-- transaction that locked a row last beside it (its xmax), a clock of who answered. The columns below are the
-- allow-list: a test and `answer-ledger doctor` compare a live database with it.
--
-- `principal` is HMAC-SHA-256(pepper, tenant || 0x1f || outside id), cut to a UUID: the database
-- never sees an outside id. It leads every table of principals, and its primary key. Whoever knows it can ask
-- for that principal's rows, through a surface's functions and within its rights: it is handed to nobody
-- outside, agents get it encrypted in a token.

create schema if not exists ledger;
alter schema ledger owner to ledger_owner;
comment on schema ledger is 'What a principal said on which topic; and nowhere where, or to whom.';

-- ── Of principals ────────────────────────────────────────────────────────────────────────────────

create table ledger.entry (
  principal uuid              not null,
  topic     text collate "C"  not null,
  answer    text collate "C"  not null check (char_length(answer) between 1 and 500),
  as_of     date              not null,
  primary key (principal, topic)
);
comment on table ledger.entry is 'The newest answer of a principal on a topic, in his own words.';
comment on column ledger.entry.topic is 'The key of a topic.';
comment on column ledger.entry.answer is 'A slice of what he typed, character for character.';
comment on column ledger.entry.as_of is 'The day (UTC) it was last said or confirmed.';

create table ledger.pending (
  principal uuid              not null,
  topic     text collate "C"  not null,
  answer    text collate "C"  not null check (char_length(answer) between 1 and 500),
  as_of     date              not null,
  primary key (principal, topic)
);
comment on table ledger.pending is 'Answers that wait for the principal''s own yes (handling confirm). No agent reads it.';

-- The notice is the one text in a decision that comes from outside. The application takes none for one that is not the name of a
-- file of the deployment; and its form leaves no room for more: a day fits (2026-06-01), and no instant (at most eight digits, four
-- in a row), no id and no serial number (at most sixteen characters). How many are in use, `answer-ledger doctor` looks at:
-- a version for each counterparty would be an origin in any form.

create table ledger.consent (
  principal  uuid              not null primary key,
  decision   text collate "C"  not null check (decision in ('granted', 'revoked')),
  decided_on date              not null,
  notice     text collate "C"  not null check (notice ~ '^(?=.{1,16}$)(?!.*[0-9]{5})(?!(.*[0-9]){9})[a-z0-9]+([._-][a-z0-9]+)*$')
);
comment on table ledger.consent is 'The decision that stands. No row: undecided. Never per agent, thread or counterparty.';
comment on column ledger.consent.notice is 'The version of the notice that the principal was shown: a file of the deployment.';

create table ledger.consent_history (
  principal  uuid              not null,
  decided_on date              not null,
  decision   text collate "C"  not null check (decision in ('granted', 'revoked')),
  notice     text collate "C"  not null check (notice ~ '^(?=.{1,16}$)(?!.*[0-9]{5})(?!(.*[0-9]){9})[a-z0-9]+([._-][a-z0-9]+)*$'),
  primary key (principal, decided_on, decision, notice)
);
comment on table ledger.consent_history is 'Every decision, by day; within a day the order is not kept.';

create table ledger.withheld (
  principal uuid              not null,
  topic     text collate "C"  not null check (topic ~ '^([^[:space:][:cntrl:][:punct:]]|_){1,64}$'),
  primary key (principal, topic)
);
comment on table ledger.withheld is 'Topics that a principal keeps back from all agents, with or without an entry.';
comment on column ledger.withheld.topic is 'The key of a topic, whether it was coined or not.';

create table ledger.objection (
  principal uuid not null primary key
);
comment on table ledger.objection is 'Principals who said: do not remember me.';

create table ledger.legal_hold (
  principal         uuid    not null primary key,
  erase_asked       boolean not null default false,
  postponed         text[]  collate "C" not null default '{}',
  postponed_waiting text[]  collate "C" not null default '{}'
);
comment on table ledger.legal_hold is 'While it stands no answer of theirs is swept, deleted or replaced.';
comment on column ledger.legal_hold.postponed is
  'Topics whose answer the sweep or a step of an operator would have deleted: hidden, and deleted when the hold is lifted.';
comment on column ledger.legal_hold.postponed_waiting is 'The same of answers that wait for their yes.';
comment on column ledger.legal_hold.erase_asked is 'He asked for erasure: all is hidden, and goes when the hold is lifted.';

create table ledger.barrier (
  principal  uuid              not null,
  mark       uuid              not null,
  what       text collate "C"  not null check (what in ('deleted', 'declined', 'erased', 'said_before')),
  not_before date              not null,
  primary key (principal, mark, what)
);
comment on table ledger.barrier is 'What was deleted stays deleted: a capture said before not_before is not kept.';
comment on column ledger.barrier.mark is 'HMAC(pepper, principal, topic), or of all topics: it does not say which.';
comment on column ledger.barrier.what is
  'What went with it, for a database that comes back from a backup (09, record): answers, those that waited for a yes, everything, or nothing.';

create table ledger.audit (
  principal uuid              not null,
  on_day    date              not null,
  action    text collate "C"  not null check (action in (
    'consent_granted', 'consent_revoked', 'objected', 'objection_lifted', 'withheld', 'released',
    'corrected', 'deleted', 'confirmed', 'declined', 'taken_back', 'expired', 'dropped', 'merged',
    'erase_asked', 'erased', 'hold_placed', 'hold_lifted'
  )),
  n         integer           not null check (n > 0),
  primary key (principal, on_day, action)
);
comment on table ledger.audit is 'That it happened, on which day, how often; never what.';

-- ── The registry ─────────────────────────────────────────────────────────────────────────────────

create table ledger.topic (
  key             text collate "C"  not null primary key check (key ~ '^([^[:space:][:cntrl:][:punct:]]|_){1,64}$'),
  question        text collate "C"  check (char_length(question) between 1 and 300),
  handling        text collate "C"  check (handling in ('open', 'sealed', 'confirm', 'forbidden')),
  authority       text collate "C"  check (char_length(authority) between 1 and 120),
  reconfirm_after integer           check (reconfirm_after between 1 and 3650),
  drop_after      integer           check (drop_after between 2 and 3650),
  listed          boolean           not null default false,
  check (reconfirm_after < drop_after),
  check (handling is not null or not listed)
);
comment on column ledger.topic.handling is 'Null until an operator gives one: handled as sealed.';
comment on table ledger.topic is 'What answers can be about. Agents coin keys; only operators write the rest.';
comment on column ledger.topic.reconfirm_after is 'Whole days of age; null: the default.';
comment on column ledger.topic.drop_after is 'Whole days of age; null: the default.';
comment on column ledger.topic.listed is 'Approved by an operator for all to see. Unlisted: handled as sealed.';

create index topic_listed on ledger.topic (key) where listed;

create table ledger.topic_alias (
  alias text collate "C" not null primary key check (alias ~ '^([^[:space:][:cntrl:][:punct:]]|_){1,64}$'),
  key   text collate "C" not null check (alias <> key)
);
create index topic_alias_key on ledger.topic_alias (key);
comment on table ledger.topic_alias is 'Other labels of a topic, merged keys among them.';
comment on column ledger.topic_alias.key is 'A topic''s key; kept right by the functions, since a foreign key''s lock leaves an xmax.';

create table ledger.retired_key (
  key         text collate "C" not null,
  merged_into text collate "C" not null,
  fixed       boolean          not null default true,
  handling    text collate "C" check (handling in ('open', 'sealed', 'confirm', 'forbidden')),
  primary key (key, merged_into)
);
create index retired_key_merged_into on ledger.retired_key (merged_into);
comment on table ledger.retired_key is
  'Keys that were merged away. They stay labels of where they went: what was deleted under them, or forbidden, stays so.';
comment on column ledger.retired_key.fixed is
  'The label stays where it went. False where an alias took in a key that operators did not see: it is an alias like any other.';

comment on column ledger.retired_key.handling is 'How it was handled: so it is again, where it is a key again.';

create table ledger.former_key (
  label text collate "C" not null,
  key   text collate "C" not null,
  primary key (label, key)
);
comment on table ledger.former_key is
  'Where labels led before operators moved them: what was deleted, withheld or forbidden there stays so under them.';

create table ledger.bare_form (
  form text collate "C" not null primary key
);
comment on table ledger.bare_form is
  'The closed list of what bare answers are made of ("no", "the same"), as ledger.narrow() writes it; `answer-ledger migrate` fills it.';

-- ── Figures, without principals ──────────────────────────────────────────────────────────────────

create table ledger.outcome (
  topic      text collate "C"  not null,
  age_weeks  integer           not null check (age_weeks >= 0),
  still_true boolean           not null,
  n          integer           not null check (n > 0),
  primary key (topic, age_weeks, still_true)
);
comment on table ledger.outcome is 'How reconfirmations of listed topics came out, by the age of the answer.';

create table ledger.snapshot (
  topic     text collate "C"  not null,
  age_weeks integer           not null check (age_weeks >= 0),
  n         integer           not null check (n >= 5 and n % 5 = 0),
  primary key (topic, age_weeks)
);
comment on table ledger.snapshot is 'What operators see: weekly, listed topics, rounded to 5, none below 5 principals.';

create table ledger.proposal (
  topic text collate "C" not null primary key
);
comment on table ledger.proposal is 'Unlisted topics that 5 principals have: the sweep proposes to list them.';

-- ── The deployment ───────────────────────────────────────────────────────────────────────────────

create table ledger.setting (
  only_row        boolean           not null primary key default true check (only_row),
  reconfirm_after integer           not null default 120 check (reconfirm_after between 1 and 3650),
  drop_after      integer           not null default 540 check (drop_after between 2 and 3650),
  undecided_tier  text collate "C"  not null default 'topics' check (undecided_tier in ('none', 'topics')),
  visible_from    text collate "C"  not null default 'same_day' check (visible_from in ('same_day', 'next_day')),
  pepper_proof    uuid,
  record_ahead    boolean           not null default false,
  check (reconfirm_after < drop_after)
);
comment on table ledger.setting is 'One row: the default windows, and what holds for everybody.';
comment on column ledger.setting.pepper_proof is 'HMAC(pepper, a fixed text): tells at start that the pepper is the right one.';
comment on column ledger.setting.record_ahead is
  'The record (09) says that this database lost something: agents get nothing, and captures wait, till it is reconciled.';
insert into ledger.setting default values;

create table ledger.credential (
  id         uuid    not null primary key,
  issued_on  date    not null,
  expires_on date    not null,
  revoked    boolean not null default false,
  check (expires_on >= issued_on)
);
comment on table ledger.credential is
  'What a host''s backend asks for tokens with, by an id that is drawn at random; never who used it, or when (08).';
comment on column ledger.credential.expires_on is 'The last day on which it may be good; then the sweep deletes the row.';

create table ledger.sweep_mark (
  only_row    boolean not null primary key default true check (only_row),
  cut_on      date,
  cut_at      xid8,
  cluster     bigint,
  restored_on date,
  swept_on    date,
  snapshot_on date,
  asked_on    date,
  asked_hour  integer check (asked_hour between 0 and 23),
  record_mark uuid
);
comment on table ledger.sweep_mark is 'Where the day began, and how far the sweep came.';
comment on column ledger.sweep_mark.cut_on is 'The day that the last cut began (04, the cut).';
comment on column ledger.sweep_mark.cut_at is 'The transaction of that cut: what was written on earlier days has a smaller number.';
comment on column ledger.sweep_mark.cluster is
  'Whose transactions these are (pg_control_system): in another, after a restore, they say nothing.';
comment on column ledger.sweep_mark.restored_on is
  'The day of the first cut in this cluster. Until a sweep of a later day, every sweep stamps everything anew.';
comment on column ledger.sweep_mark.swept_on is 'The day of the last sweep that came to its end.';
comment on column ledger.sweep_mark.asked_on is 'The day on which an operator last asked for a sweep.';
comment on column ledger.sweep_mark.asked_hour is
  'And the hour (UTC), so that there is one an hour. It is of an operator''s call: no answer is older or newer by it.';
comment on column ledger.sweep_mark.record_mark is
  'Random, renewed by each sweep here and in the record: where the two are equal, what was taken away before it is here. Null: no record is kept.';
insert into ledger.sweep_mark default values;

create table ledger.piece_mark (
  piece regclass not null primary key,
  stamp xid8     not null,
  up_to xid8
);
comment on table ledger.piece_mark is 'How far the sweep came in each piece of a table (04, pieces).';
comment on column ledger.piece_mark.stamp is 'The transaction of its last re-stamp: its rows are left alone by the next.';
comment on column ledger.piece_mark.up_to is 'The cut up to which it was stamped; null: everything is to be stamped again.';

-- ── How they lie on disk ─────────────────────────────────────────────────────────────────────────
-- No statistics on principals' columns: they keep values of deleted rows; nor on the sweep's marks, of which they keep
-- the numbers of earlier transactions. Answers are stored plain:
-- the ids of values that are stored apart would keep the order of writing.

do $$
declare
  col record;
begin
  for col in
    select c.oid::regclass as tab, a.attname
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'ledger'::regnamespace and c.relkind = 'r'
  loop
    execute format('alter table %s alter column %I set statistics 0', col.tab, col.attname);
  end loop;
end $$;

-- A read of a row that was not frozen yet leaves a mark on its page. The sweep freezes what it wrote (09); on PostgreSQL
-- 15 and 16, where it may not, autovacuum does, at once.
do $$
declare
  tab regclass;
begin
  if current_setting('server_version_num')::integer < 170000 then
    for tab in
      select oid::regclass from pg_class
       where relnamespace = 'ledger'::regnamespace and relkind = 'r' and relname not in ('bare_form', 'version')
    loop
      execute format(
        'alter table %s set (
           autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
           autovacuum_vacuum_insert_threshold = 0, autovacuum_vacuum_insert_scale_factor = 0,
           autovacuum_freeze_min_age = 0, autovacuum_freeze_table_age = 0,
           vacuum_index_cleanup = on, vacuum_truncate = off)', tab);
    end loop;
  end if;
end $$;

alter table ledger.entry   alter column answer set storage plain;
alter table ledger.pending alter column answer set storage plain;

do $$
declare
  tab regclass;
begin
  for tab in select oid::regclass from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r' loop
    execute format('alter table %s owner to ledger_owner', tab);
  end loop;
end $$;
-- 03 · Policies
--
-- Every table of principals has row-level security, forced, so that not even its owner passes by
-- it. A policy lets a definer see the rows of one principal: the one that the running function has
-- named (the custodian's lets it see all, for the sweep and the registry). For agents it also wants the tier and leaves out what he withholds. Without a named
-- principal nothing is seen at all: a query that forgets its WHERE clause reads nothing more.
--
-- What this wall is, and what not: it is per call. Each function takes the principal as an argument and
-- sees his rows alone; a raw login with EXECUTE can call it for any principal whose hash it knows, and learns
-- what that function gives, no more. Hashes can't be guessed, and no function gives one back.
-- Nor does the server print the plans inside: their constants would be rows (10_grants.sql).
--
-- The name, the tier and the withheld topics stand in settings that a function makes for itself
-- and takes back before it returns (04_tools.sql). They are no way in for a surface: a surface has no
-- privilege on a table, whatever it sets. There is no subquery in a policy, so that a distributed
-- engine can hold them too.

create function ledger.me() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('ledger.principal', true), '')::uuid;
comment on function ledger.me is 'The principal that the running function has named; null where none is.';

create function ledger.tier() returns text
  language sql stable parallel safe
  return coalesce(nullif(current_setting('ledger.tier', true), ''), 'none');
comment on function ledger.tier is 'What agents may read of him, as the running function found it.';

create function ledger.kept_back() returns text[]
  language sql stable parallel safe
  return nullif(current_setting('ledger.withheld', true), '')::text[];
comment on function ledger.kept_back is 'The topics that he withholds; null, which shows nothing, where nobody looked.';

do $$
declare
  tab text;
begin
  foreach tab in array array[
    'entry', 'pending', 'consent', 'consent_history', 'withheld', 'objection', 'legal_hold', 'barrier', 'audit'
  ] loop
    execute format('alter table ledger.%I enable row level security', tab);
    execute format('alter table ledger.%I force row level security', tab);

    -- Captures and the principal's own acts: one principal's rows, read and written.
    execute format('create policy writer on ledger.%I to ledger_writer using (principal = ledger.me()) with check (principal = ledger.me())', tab);
    -- The principal looks at what is his.
    execute format('create policy own on ledger.%I for select to ledger_own_reader using (principal = ledger.me())', tab);
    -- The sweep, merges and holds: everybody's rows; its functions give back counts.
    execute format('create policy custodian on ledger.%I to ledger_custodian using (true) with check (true)', tab);
  end loop;

  -- What an agent's function must look at to find the tier.
  foreach tab in array array['consent', 'objection', 'legal_hold', 'withheld'] loop
    execute format('create policy gate on ledger.%I for select to ledger_agent_keys using (principal = ledger.me())', tab);
  end loop;
end $$;

-- Keys below and with consent; this role holds no privilege on `answer` (10_grants.sql).
create policy keys on ledger.entry for select to ledger_agent_keys
  using (principal = ledger.me() and ledger.tier() in ('topics', 'full') and topic <> all (ledger.kept_back()));

-- Answers with consent alone.
create policy content on ledger.entry for select to ledger_agent_content
  using (principal = ledger.me() and ledger.tier() = 'full' and topic <> all (ledger.kept_back()));
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
-- 08 · What operators call
--
-- They own the registry and the windows. They have no way to an entry or a consent row: the functions
-- that must touch everybody's rows (a merge, a changed question) give back the topic and nothing about them;
-- figures come from the weekly snapshot. No reply of these functions depends on a live row of a principal, or on an
-- unlisted key that a person's answer coined: two ledgers that differ in one person and have the same snapshot answer
-- every sequence of these calls alike (tests/oracle/test_operators.py). A bare answer (ledger.bare_form) means nothing under another
-- question, so it goes or stays behind; the list is taken from no caller, who could ask by it what was said.

-- ── What they see of the registry ────────────────────────────────────────────────────────────────
-- Listed topics, and the proposals of the weekly snapshot. Every other key is somebody's own word, coined because a
-- person said something about it: a call on it answers as if it had never been coined. So nothing here asks whether
-- an unlisted key has a row, and a proposal is the same whether or not its row is still there.

create function ledger.is_seen(the_key text) returns boolean
  language plpgsql stable as $$
begin
  return exists (select from ledger.topic t where t.key = the_key and t.listed)
      or exists (select from ledger.proposal o where o.topic = the_key);
end $$;
comment on function ledger.is_seen is 'Whether operators see this key: it is listed, or proposed.';

-- A topic as a document: what If-Match is made of, and compared with under the lock. `given`: an operator gave its
-- handling, so that to loosen it is a step.
create function ledger.topic_state(the_key text) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
             'key', the_key, 'question', t.question, 'handling', coalesce(t.handling, 'sealed'),
             'given', t.handling is not null, 'authority', t.authority,
             'reconfirm_after', t.reconfirm_after, 'drop_after', t.drop_after, 'listed', coalesce(t.listed, false),
             'proposed', t.listed is not true and exists (select from ledger.proposal o where o.topic = the_key),
             'aliases', array(select a.alias from ledger.topic_alias a where a.key = the_key order by a.alias))
      from (select) one
      left join ledger.topic t on t.key = the_key);
end $$;

-- A page by key, from the one after `after_key`; of `which` (all, listed, proposed), with `part` somewhere in the
-- key, an alias or the question.
create function ledger.topics_seen(after_key text, most integer, part text, which text) returns setof jsonb
  language plpgsql stable strict security definer rows 100
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return query
    select ledger.topic_state(page.key)
      from (select k.key
              from (select t.key, t.question
                      from ledger.topic t
                     where t.listed and t.key > after_key and which <> 'proposed'
                    union all
                    select o.topic, t.question
                      from ledger.proposal o
                      left join ledger.topic t on t.key = o.topic
                     where t.listed is not true and o.topic > after_key and which <> 'listed') k
             where part = ''
                or strpos(k.key, translate(part, ' ', '_')) > 0
                or strpos(lower(k.question), part) > 0
                or exists (select from ledger.topic_alias a
                            where a.key = k.key and strpos(a.alias, translate(part, ' ', '_')) > 0)
             order by k.key
             limit most) page
     order by page.key;
end $$;

-- The topic that a label names; null where operators see none.
create function ledger.topic_read(label text) returns jsonb
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  the_key text := (ledger.keys_of(array[label]))[1];
begin
  return case when ledger.is_seen(the_key) then ledger.topic_state(the_key) end;
end $$;

-- Which of these labels are taken: a key that operators see, or an alias.
create function ledger.labels_taken(labels text[]) returns text[]
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return array(
    select l.label
      from unnest(labels) with ordinality as l(label, ord)
     where ledger.is_seen(l.label) or exists (select from ledger.topic_alias a where a.alias = l.label)
     order by l.ord);
end $$;

-- The aliases that lead to a key, seen or not: only operators put them.
create function ledger.aliases_of(the_key text) returns text[]
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return array(select a.alias from ledger.topic_alias a where a.key = the_key order by a.alias);
end $$;

-- ── Steps ────────────────────────────────────────────────────────────────────────────────────────

-- Takes answers on a topic away from everybody; all of them, or the bare ones. The audit of each says that
-- it happened. What a legal hold keeps in place is hidden from all agents, and goes when the hold is lifted.
create function ledger.drop_answers(the_topic text, all_of_them boolean) returns void
  language plpgsql as $$
declare
  whose   uuid[];
  waiting uuid[];
begin
  with dropped as (
    delete from ledger.entry e
     where e.topic = the_topic
       and (all_of_them or ledger.is_bare(e.answer))
       and not exists (select from ledger.legal_hold h where h.principal = e.principal)
    returning e.principal
  ), waiting as (
    delete from ledger.pending w
     where w.topic = the_topic
       and (all_of_them or ledger.is_bare(w.answer))
       and not exists (select from ledger.legal_hold h where h.principal = w.principal)
    returning w.principal
  )
  select array_agg(d.principal)
    into whose
    from (select principal from dropped union all select principal from waiting) d;
  if whose is not null then
    perform ledger.note_all(whose, 'dropped');
  end if;

  whose := array(select e.principal from ledger.entry e
                  where e.topic = the_topic and (all_of_them or ledger.is_bare(e.answer)));
  waiting := array(select w.principal from ledger.pending w
                    where w.topic = the_topic and (all_of_them or ledger.is_bare(w.answer)));
  perform ledger.postpone(whose, array_fill(the_topic, array[cardinality(whose)]), false);
  perform ledger.postpone(waiting, array_fill(the_topic, array[cardinality(waiting)]), true);
end $$;

-- Sets the fields in `change`, and does what follows for the answers. Loosening the handling that an operator gave
-- withholds the topic for everybody who has an answer, until they release it: also when it is unlisted before or in
-- between, and what was given once is never taken back to null. To give a first handling is no loosening.
create function ledger.topic_put(the_key text, change jsonb) returns jsonb
  language plpgsql as $$
declare
  old ledger.topic;
  new ledger.topic;
begin
  insert into ledger.topic (key) values (the_key) on conflict do nothing;
  select * into old from ledger.topic t where t.key = the_key;
  new := jsonb_populate_record(old, change - 'key');
  new.handling := coalesce(new.handling, old.handling);

  update ledger.topic t
     set question = new.question, handling = new.handling, authority = new.authority,
         reconfirm_after = new.reconfirm_after, drop_after = new.drop_after, listed = new.listed
   where t.key = the_key;

  if old.listed and not new.listed then
    perform ledger.remember(the_key, array(select a.alias from ledger.topic_alias a where a.key = the_key) || the_key);
  end if;
  if ledger.strictness(new.handling) < ledger.strictness(old.handling) then
    perform ledger.withhold_from_all(the_key);
  end if;
  if new.handling = 'forbidden' then
    perform ledger.drop_answers(the_key, true);
  elsif new.question is distinct from old.question then
    perform ledger.drop_answers(the_key, false);
  end if;
  return ledger.topic_state(the_key);
end $$;

create function ledger.withhold_from_all(the_topic text) returns void
  language plpgsql as $$
begin
  insert into ledger.withheld (principal, topic)
  select h.principal, the_topic
    from (select e.principal from ledger.entry e where e.topic = the_topic
          union
          select w.principal from ledger.pending w where w.topic = the_topic) h
   order by h.principal
  on conflict do nothing;
  perform ledger.lay_all('ledger.withheld');
end $$;
comment on function ledger.withhold_from_all is 'Keeps a topic back from all agents, for everybody who has an answer.';

-- Creates a listed topic. Where the key was coined, or listed once, it becomes what is given here: the reply is that
-- of a key never seen. LG010: operators see such a topic already, or the label leads to another.
create function ledger.topic_create(the_key text, fields jsonb) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  if exists (select from ledger.topic t where t.key = the_key and t.listed)
     or exists (select from ledger.topic_alias a where a.alias = the_key) then
    raise exception 'the label is taken' using errcode = 'LG010';
  end if;
  return ledger.topic_put(
    the_key,
    '{"question": null, "handling": "open", "authority": null, "reconfirm_after": null, "drop_after": null}'
      || fields || '{"listed": true}');
end $$;

-- Changes a topic. `expected` is what the operator saw of it, and of the default windows where the step leans on
-- them (LG004 where it has changed since); `change` holds the fields to set.
create function ledger.topic_change(the_key text, expected jsonb, change jsonb) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  perform ledger.check_expected(the_key, expected);
  return ledger.topic_put(the_key, change);
end $$;

create function ledger.check_expected(the_key text, expected jsonb) returns void
  language plpgsql as $$
begin
  if not ledger.is_seen(the_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if not (ledger.topic_state(the_key)
          || (select jsonb_build_object('default', jsonb_build_array(s.reconfirm_after, s.drop_after))
                from ledger.setting s where s.only_row)) @> expected then
    raise exception 'the topic has changed' using errcode = 'LG004';
  end if;
end $$;

-- ── Labels, and merges ───────────────────────────────────────────────────────────────────────────

-- The labels lead to the key no more, or their slips do not: captures under them look there all the same for what was
-- taken away.
create function ledger.remember(the_key text, labels text[]) returns void
  language plpgsql as $$
begin
  insert into ledger.former_key (label, key)
  select l.label, k.key
    from unnest(labels) l(label)
   cross join (select the_key as key
               union all
               select r.key from ledger.retired_key r where r.merged_into = the_key) k
   order by l.label, k.key
  on conflict do nothing;
end $$;

-- From now on the label leads to the topic, and what led to the label does too.
create function ledger.lead(label text, the_key text) returns void
  language plpgsql as $$
begin
  perform ledger.remember(a.key, array[label]) from ledger.topic_alias a where a.alias = label and a.key <> the_key;
  insert into ledger.topic (key) values (the_key) on conflict do nothing;
  update ledger.topic_alias a set key = the_key where a.key = label;
  insert into ledger.topic_alias as a (alias, key) values (label, the_key)
  on conflict (alias) do update set key = excluded.key;
end $$;

-- Another label for a topic. A key that was coined and that operators do not see is merged into the topic: no answer
-- is lost, and the reply is that of a key never coined. Whoever withholds what nobody had coined under that label
-- withholds the topic from now on. LG005: the label is a topic that they see (merge it), or was one and stays where it
-- went, or is handled more strictly (list it, and merge it: the stricter handling holds).
create function ledger.alias_put(new_alias text, target text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  the_key text;
begin
  perform ledger.lock_whole();
  the_key := (ledger.keys_of(array[target]))[1];
  if not ledger.is_seen(the_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if ledger.is_seen(new_alias) then
    raise exception 'the alias is a topic' using errcode = 'LG005';
  end if;
  if exists (select from ledger.retired_key r where r.key = new_alias and r.merged_into <> the_key and r.fixed) then
    raise exception 'the alias was a topic' using errcode = 'LG005';
  end if;
  if (select ledger.strictness(t.handling) from ledger.topic t where t.key = new_alias)
     > (select ledger.strictness(coalesce(t.handling, 'sealed')) from (select) one left join ledger.topic t on t.key = the_key) then
    raise exception 'the alias was a topic that is handled more strictly' using errcode = 'LG005';
  end if;
  if exists (select from ledger.topic t where t.key = new_alias) then
    perform ledger.merge_topic(new_alias, the_key, false);
  else
    perform ledger.merge_withheld(new_alias, the_key);
    perform ledger.lead(new_alias, the_key);
  end if;
end $$;

-- A key that an alias took in is a key again: what a legal hold left under it has a topic.
create function ledger.alias_delete(old_alias text, target text) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  the_key text;
begin
  perform ledger.lock_whole();
  the_key := (ledger.keys_of(array[target]))[1];
  if not ledger.is_seen(the_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  if exists (select from ledger.retired_key r where r.key = old_alias and r.fixed) then
    raise exception 'the alias was a topic' using errcode = 'LG005';
  end if;
  delete from ledger.topic_alias a where a.alias = old_alias and a.key = the_key;
  if not found then
    raise exception 'no such alias' using errcode = 'LG003';
  end if;
  perform ledger.remember(the_key, array[old_alias]);
  insert into ledger.topic (key, handling)
  select r.key, r.handling from ledger.retired_key r where r.key = old_alias
   order by ledger.strictness(r.handling) desc nulls last
   limit 1
  on conflict do nothing;
end $$;

-- Merges one topic into another, both seen; gives the one that stays.
create function ledger.topics_merge(old_key text, expected jsonb, new_key text) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
begin
  perform ledger.lock_whole();
  perform ledger.check_expected(old_key, expected);
  new_key := (ledger.keys_of(array[new_key]))[1];
  if new_key = old_key then
    raise exception 'a topic can not be merged into itself' using errcode = 'LG005';
  end if;
  if not ledger.is_seen(new_key) then
    raise exception 'no such topic' using errcode = 'LG003';
  end if;
  perform ledger.merge_topic(old_key, new_key, true);
  return ledger.topic_state(new_key);
end $$;

-- The stricter handling that an operator gave, the union of what is withheld, the newer answer. Bare answers stay
-- behind, that is: they go. What was deleted under the old key stays deleted: a capture looks for the marks of
-- retired keys too. Who is under a legal hold and has both answers keeps both, till it is lifted: the one under the
-- old key can't be seen, since there is no such topic.
--
-- An old key that operators do not see (`seen` false) is handled no more strictly (alias_put), so it changes nothing that
-- they see; as a label it can be moved and deleted like any other.
create function ledger.merge_topic(old_key text, new_key text, seen boolean) returns void
  language plpgsql as $$
declare
  old_handling text := (select t.handling from ledger.topic t where t.key = old_key);
  new_handling text := (select t.handling from ledger.topic t where t.key = new_key);
begin
  if ledger.strictness(old_handling) > ledger.strictness(coalesce(new_handling, 'sealed')) then
    new_handling := old_handling;
  end if;

  perform ledger.drop_answers(old_key, false);
  perform ledger.merge_answers('ledger.entry', old_key, new_key);
  perform ledger.merge_answers('ledger.pending', old_key, new_key);
  -- what waits for their yes is out of date where a newer answer stands
  delete from ledger.pending w using ledger.entry e
   where w.topic = new_key and e.topic = new_key and e.principal = w.principal and e.as_of > w.as_of
     and not exists (select from ledger.legal_hold h where h.principal = w.principal);
  if new_handling = 'forbidden' then
    perform ledger.drop_answers(new_key, true);
  end if;

  perform ledger.lay_all('ledger.entry');
  perform ledger.lay_all('ledger.pending');
  perform ledger.merge_postponed(old_key, new_key);
  perform ledger.merge_withheld(old_key, new_key);

  perform ledger.lead(old_key, new_key);
  update ledger.topic t set handling = new_handling where t.key = new_key and t.handling is distinct from new_handling;
  delete from ledger.topic t where t.key = old_key;
  insert into ledger.retired_key as r (key, merged_into, fixed, handling)
  select k.key, new_key, bool_or(k.fixed), (array_agg(k.handling order by ledger.strictness(k.handling) desc nulls last))[1]
    from (select old_key as key, seen as fixed, old_handling as handling
          union all
          select o.key, o.fixed, o.handling from ledger.retired_key o where o.merged_into = old_key) k
   where k.key <> new_key
   group by k.key
  on conflict (key, merged_into) do update
    set fixed = r.fixed or excluded.fixed, handling = coalesce(r.handling, excluded.handling);
  delete from ledger.retired_key r where r.merged_into = old_key;
  insert into ledger.former_key (label, key)
  select f.label, new_key from ledger.former_key f where f.key = old_key order by f.label
  on conflict do nothing;
  delete from ledger.outcome o where o.topic = old_key;
  delete from ledger.snapshot s where s.topic = old_key;
  delete from ledger.proposal o where o.topic = old_key;
end $$;

-- Who withholds the one key withholds the other instead; the one too, where a hold keeps an entry under it.
create function ledger.merge_withheld(old_key text, new_key text) returns void
  language plpgsql as $$
begin
  insert into ledger.withheld (principal, topic)
  select w.principal, new_key from ledger.withheld w where w.topic = old_key order by w.principal
  on conflict do nothing;
  if found then
    perform ledger.lay_all('ledger.withheld');
  end if;
  delete from ledger.withheld w
   where w.topic = old_key
     and not exists (select from ledger.entry e where e.principal = w.principal and e.topic = old_key);
end $$;

-- What is postponed goes with the answer.
create function ledger.merge_postponed(old_key text, new_key text) returns void
  language plpgsql as $$
begin
  with taken as (
    delete from ledger.legal_hold h where old_key = any (h.postponed || h.postponed_waiting) returning h.*
  )
  insert into ledger.legal_hold (principal, erase_asked, postponed, postponed_waiting)
  select t.principal, t.erase_asked,
         case when exists (select from ledger.entry e where e.principal = t.principal and e.topic = old_key)
              then t.postponed else ledger.united(array_replace(t.postponed, old_key, new_key), '{}') end,
         case when exists (select from ledger.pending w where w.principal = t.principal and w.topic = old_key)
              then t.postponed_waiting else ledger.united(array_replace(t.postponed_waiting, old_key, new_key), '{}') end
    from taken t
   order by t.principal;
end $$;

create function ledger.merge_answers(tab regclass, old_key text, new_key text) returns void
  language plpgsql as $$
declare
  whose uuid[];
begin
  -- the older of two goes
  execute format(
    'with gone as (
       delete from %1$s a using %1$s b
        where a.principal = b.principal
          and not exists (select from ledger.legal_hold h where h.principal = a.principal)
          and ((a.topic = $1 and b.topic = $2 and a.as_of <= b.as_of)
            or (a.topic = $2 and b.topic = $1 and a.as_of < b.as_of))
       returning a.principal)
     select array_agg(g.principal) from gone g', tab) into whose using old_key, new_key;
  if whose is not null then
    perform ledger.note_all(whose, 'merged');
  end if;
  execute format(
    'update %1$s a set topic = $2
      where a.topic = $1
        and not exists (select from %1$s b where b.principal = a.principal and b.topic = $2)', tab)
    using old_key, new_key;
end $$;

-- ── The deployment's settings ────────────────────────────────────────────────────────────────────

create function ledger.setting_read() returns jsonb
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return (select to_jsonb(s) - 'only_row' from ledger.setting s where s.only_row);
end $$;

-- One statement, and no lock before it: on a row that stays as it is a lock would leave its mark (xmax),
-- which the sweep does not take away. Of two at once the second sees what the first has put. `expected` is what the
-- operator saw; LG004 where it has changed since.
create function ledger.setting_change(expected jsonb, change jsonb) returns jsonb
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  update ledger.setting s
     set (reconfirm_after, drop_after, undecided_tier, visible_from, pepper_proof) =
         (select new.reconfirm_after, new.drop_after, new.undecided_tier, new.visible_from,
                 coalesce(s.pepper_proof, new.pepper_proof)
            from jsonb_populate_record(s, change) new)
   where s.only_row and to_jsonb(s) @> expected and jsonb_populate_record(s, change) is distinct from s;
  if not found and not ledger.setting_read() @> expected then
    raise exception 'the settings have changed' using errcode = 'LG004';
  end if;
  return ledger.setting_read();
end $$;
comment on function ledger.setting_change is 'The proof of the pepper is written once and never again.';

create function ledger.schema_version() returns text
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return (select v.version_num from ledger.version v);
end $$;
comment on function ledger.schema_version is 'The last migration that ran; ledger.version is made and kept by the migration runner.';

-- ── The host's own credentials ───────────────────────────────────────────────────────────────────
-- A backend that asks for tokens shows a credential that may be good for months, so there is a way to end one before
-- its time. It is signed like any token, and its id stands in ledger.credential besides: whenever it is shown, its id is
-- looked up here, and one that is not there, was revoked or is over opens nothing.
--
-- The look-up runs on the operators' login, the one of the serving surfaces that has no way to a row of a principal: who asks
-- for tokens comes no nearer to one, and the logins of agents and captures, which see most of the traffic, tell nothing
-- of credentials. No id opens anything by itself: the key that signs never comes here.

create function ledger.credential_put(the_id uuid, days integer) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  insert into ledger.credential (id, issued_on, expires_on) values (the_id, ledger.today(), ledger.today() + days);
end $$;

create function ledger.credential_stands(the_id uuid) returns boolean
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  return exists (
    select from ledger.credential c where c.id = the_id and not c.revoked and c.expires_on >= ledger.today());
end $$;

create function ledger.credentials() returns table (id uuid, issued_on date, expires_on date, revoked boolean)
  language plpgsql stable strict security definer rows 20
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select c.id, c.issued_on, c.expires_on, c.revoked
      from ledger.credential c
     where c.expires_on >= ledger.today()
     order by c.issued_on, c.id;
end $$;

create function ledger.credential_revoke(the_id uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
begin
  perform ledger.lock_in_common();
  if not exists (select from ledger.credential c where c.id = the_id and c.expires_on >= ledger.today()) then
    raise exception 'no such credential' using errcode = 'LG003';
  end if;
  update ledger.credential c set revoked = true where c.id = the_id and not c.revoked;
end $$;

-- ── Figures ──────────────────────────────────────────────────────────────────────────────────────

-- What the weekly snapshot says of a topic, or ('') of all: the day it was drawn, and rows of [reconfirm_after,
-- drop_after, age, n]. The windows are the topic's own (null: the default); `age` is how old, in whole days, the
-- youngest answer of that week is today. Every figure that operators get is made of these rows, so that no live row
-- shows in one.
create function ledger.snapshot_read(the_topic text) returns jsonb
  language plpgsql stable strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
#variable_conflict use_column
declare
  drawn_on date := (select m.snapshot_on from ledger.sweep_mark m where m.only_row);
begin
  return jsonb_build_object('drawn_on', drawn_on, 'weeks', coalesce((
    select jsonb_agg(jsonb_build_array(w.reconfirm_after, w.drop_after, w.age, w.n)
                     order by w.reconfirm_after, w.drop_after, w.age)
      from (select t.reconfirm_after, t.drop_after, s.age_weeks * 7 + coalesce(ledger.age(drawn_on), 0) as age,
                   sum(s.n) as n
              from ledger.snapshot s
              join ledger.topic t on t.key = s.topic
             where the_topic in ('', s.topic)
             group by 1, 2, 3) w), '[]'));
end $$;

-- ── A sweep that an operator asks for ────────────────────────────────────────────────────────────

-- The day of the sweep; null where one was asked for in this hour already. The row's own lock lets one through.
create function ledger.sweep_ask() returns date
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
as $$
declare
  today date    := ledger.today();
  hour  integer := ledger.hour();
begin
  perform ledger.lock_in_common();
  update ledger.sweep_mark m
     set asked_on = today, asked_hour = hour
   where m.only_row and (m.asked_on, m.asked_hour) is distinct from (today, hour);
  return case when found then today end;
end $$;

-- ── Legal holds ──────────────────────────────────────────────────────────────────────────────────

create function ledger.hold_place(p uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  changed integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  insert into ledger.legal_hold (principal) values (p) on conflict do nothing;
  get diagnostics changed = row_count;
  perform ledger.note(p, 'hold_placed', changed);
  perform ledger.name_nobody();
end $$;

-- Lifts a hold and completes what waited for it: an erasure, or the end of answers that was postponed, of those whose
-- topic was merged away or forbidden meanwhile, and of what waits beside a newer answer.
create function ledger.hold_lift(p uuid, mark_all uuid) returns void
  language plpgsql strict security definer
  set search_path = pg_catalog, ledger, pg_temp
  set row_security = on
as $$
declare
  was   record;
  moved record;
  gone  text[];
  n     integer := 0;
  more  integer;
begin
  perform ledger.lock_principal(p);
  perform ledger.name_principal(p);
  delete from ledger.legal_hold h where h.principal = p
  returning h.erase_asked, h.postponed, h.postponed_waiting into was;
  if not found then
    perform ledger.name_nobody();
    return;
  end if;
  perform ledger.note(p, 'hold_lifted', 1);
  if was.erase_asked then
    perform ledger.erase_now(p, mark_all);
    perform ledger.name_nobody();
    return;
  end if;

  -- what was postponed
  gone := array(select e.topic from ledger.entry e where e.principal = p and e.topic = any (was.postponed));
  if gone <> '{}' then
    perform ledger.lay_entries(p, '{}', '{}', null, gone);
    n := cardinality(gone);
  end if;
  delete from ledger.pending w where w.principal = p and w.topic = any (was.postponed_waiting);
  get diagnostics more = row_count;
  n := n + more;

  -- what a merge left under the old key goes to the new one, where nothing newer is
  for moved in
    select e.topic, e.answer, e.as_of, ledger.keys_of(array[e.topic]) as led
      from ledger.entry e
     where e.principal = p and exists (select from ledger.topic_alias a where a.alias = e.topic)
  loop
    if not exists (select from ledger.entry e where e.principal = p and e.topic = moved.led[1] and e.as_of >= moved.as_of) then
      perform ledger.lay_entries(p, moved.led, array[moved.answer], moved.as_of, '{}');
    end if;
  end loop;
  for moved in
    delete from ledger.pending w
     where w.principal = p and exists (select from ledger.topic_alias a where a.alias = w.topic)
    returning w.answer, w.as_of, (ledger.keys_of(array[w.topic]))[1] as led
  loop
    delete from ledger.pending w where w.principal = p and w.topic = moved.led and w.as_of < moved.as_of;
    insert into ledger.pending (principal, topic, answer, as_of)
    values (p, moved.led, moved.answer, moved.as_of)
    on conflict do nothing;
  end loop;

  -- what has no topic any more
  gone := array(select e.topic
                  from ledger.entry e
                  left join ledger.topic t on t.key = e.topic
                 where e.principal = p and (t.key is null or t.handling = 'forbidden'));
  if gone <> '{}' then
    perform ledger.lay_entries(p, '{}', '{}', null, gone);
    n := n + cardinality(gone);
  end if;
  delete from ledger.pending w
   where w.principal = p
     and (not exists (select from ledger.topic t where t.key = w.topic and t.handling is distinct from 'forbidden')
          or exists (select from ledger.entry e where e.principal = p and e.topic = w.topic and e.as_of > w.as_of));
  get diagnostics more = row_count;
  perform ledger.lay('ledger.pending', p);
  -- what is withheld under the old key is withheld under the new one
  with old as (
    delete from ledger.withheld w using ledger.topic_alias a
     where w.principal = p and a.alias = w.topic
    returning a.key
  )
  insert into ledger.withheld (principal, topic) select distinct p, o.key from old o on conflict do nothing;
  if exists (select from ledger.withheld w where w.principal = p) then
    perform ledger.lay('ledger.withheld', p);
  end if;
  perform ledger.note(p, 'dropped', n + more);
  perform ledger.name_nobody();
end $$;
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
-- 10 · Grants: one page holds every right of every role
--
-- A test compares the live database with this page. Nothing is granted to PUBLIC.

revoke all on schema ledger from public;
revoke all on all tables in schema ledger from public;
revoke all on all functions in schema ledger from public;

grant usage on schema ledger to
  ledger_agent, ledger_capture, ledger_principal, ledger_operator, ledger_sweeper,
  ledger_agent_keys, ledger_agent_content, ledger_own_reader, ledger_writer, ledger_registrar, ledger_custodian;

-- ── Tables: definers alone, and no more than their functions need ────────────────────────────────

-- which topics are covered; not what was said
grant select (principal, topic, as_of) on ledger.entry to ledger_agent_keys;
grant select on ledger.consent, ledger.objection, ledger.legal_hold, ledger.withheld to ledger_agent_keys;
grant select on ledger.topic, ledger.topic_alias, ledger.retired_key, ledger.setting to ledger_agent_keys;

-- what was said, under consent
grant select on ledger.entry to ledger_agent_content;
grant select on ledger.topic, ledger.topic_alias, ledger.retired_key, ledger.setting to ledger_agent_content;

-- the principal looks
grant select on ledger.entry, ledger.pending, ledger.consent, ledger.consent_history, ledger.withheld,
  ledger.objection, ledger.legal_hold, ledger.barrier, ledger.audit to ledger_own_reader;
grant select on ledger.topic, ledger.topic_alias, ledger.retired_key, ledger.bare_form, ledger.setting to ledger_own_reader;

-- captures, and what the principal does
grant select, insert, delete on ledger.entry, ledger.pending, ledger.consent, ledger.consent_history,
  ledger.withheld, ledger.objection, ledger.legal_hold, ledger.barrier, ledger.audit to ledger_writer;
grant update on ledger.barrier, ledger.audit to ledger_writer;
grant select on ledger.topic, ledger.topic_alias, ledger.retired_key, ledger.bare_form, ledger.setting,
  ledger.sweep_mark, ledger.piece_mark to ledger_writer;
grant select, insert, update on ledger.outcome to ledger_writer;

-- the registry, without principals
grant select, insert, update (key) on ledger.topic to ledger_registrar;
grant select, insert, update, delete on ledger.topic_alias to ledger_registrar;
grant select, insert on ledger.former_key to ledger_registrar;
grant select, update on ledger.setting to ledger_registrar;
grant select, insert, update (revoked) on ledger.credential to ledger_registrar;
grant select on ledger.retired_key, ledger.snapshot, ledger.proposal, ledger.sweep_mark, ledger.piece_mark, ledger.version
  to ledger_registrar;

-- everybody's rows: the sweep, merges, changed questions
grant select, insert, update, delete on ledger.entry, ledger.pending, ledger.topic, ledger.topic_alias,
  ledger.retired_key, ledger.former_key to ledger_custodian;
grant select, insert, delete on ledger.consent, ledger.consent_history, ledger.withheld, ledger.objection,
  ledger.legal_hold, ledger.barrier, ledger.audit, ledger.outcome, ledger.snapshot, ledger.proposal, ledger.setting,
  ledger.credential to ledger_custodian;
grant select, update on ledger.sweep_mark to ledger_custodian;
grant select, insert, update, delete on ledger.piece_mark to ledger_custodian;
grant select on ledger.bare_form to ledger_custodian;

-- The one right of a surface on a table: to vacuum what a sweep has written (09). On PostgreSQL 15 and 16 nobody but
-- an owner may; there autovacuum does it (02).
do $$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    grant maintain on ledger.entry, ledger.pending, ledger.consent, ledger.consent_history, ledger.withheld,
      ledger.objection, ledger.legal_hold, ledger.barrier, ledger.audit, ledger.topic, ledger.topic_alias,
      ledger.retired_key, ledger.former_key, ledger.outcome, ledger.snapshot, ledger.proposal, ledger.setting, ledger.credential,
      ledger.sweep_mark, ledger.piece_mark to ledger_sweeper;
  end if;
end $$;

-- ── Functions: whom they run as, and which surface may call them ─────────────────────────────────

do $$
declare
  f record;
  n text;
begin
  for f in
    select * from (values
      -- function              runs as                  surfaces that may call it
      ('name_for_agent',      'ledger_agent_keys',     'ledger_agent_content'),
      ('coverage',            'ledger_agent_keys',     'ledger_agent'),
      ('recall',              'ledger_agent_content',  'ledger_agent, ledger_agent_keys'),
      ('plan',                'ledger_agent_keys',     'ledger_agent'),
      ('topics_listed',       'ledger_registrar',      'ledger_agent'),
      ('labels_listed',       'ledger_registrar',      'ledger_agent, ledger_capture'),
      ('labels_former',       'ledger_registrar',      'ledger_agent, ledger_capture'),
      ('coin',                'ledger_registrar',      'ledger_agent'),

      ('topics_for',          'ledger_registrar',      'ledger_capture'),
      ('capture',             'ledger_writer',         'ledger_capture'),
      ('reconfirm',           'ledger_writer',         'ledger_capture'),
      ('outcome_add',         'ledger_writer',         'ledger_capture'),

      ('own_entries',         'ledger_own_reader',     'ledger_principal'),
      ('own_consent',         'ledger_own_reader',     'ledger_principal'),
      ('own_receipts',        'ledger_own_reader',     'ledger_principal'),
      ('own_withheld',        'ledger_own_reader',     'ledger_principal'),
      ('own_rest',            'ledger_own_reader',     'ledger_principal'),
      ('own_state',           'ledger_own_reader',     'ledger_principal'),
      ('own_correct',         'ledger_writer',         'ledger_principal'),
      ('own_delete',          'ledger_writer',         'ledger_principal'),
      ('own_decide',          'ledger_writer',         'ledger_principal'),
      ('own_withhold',        'ledger_writer',         'ledger_principal'),
      ('own_decide_consent',  'ledger_writer',         'ledger_principal'),
      ('own_object',          'ledger_writer',         'ledger_principal'),
      ('own_erase',           'ledger_writer',         'ledger_principal'),
      ('erase_rest',          'ledger_writer',         'ledger_principal, ledger_operator'),

      ('topics_seen',         'ledger_registrar',      'ledger_operator'),
      ('topic_read',          'ledger_registrar',      'ledger_operator'),
      ('labels_taken',        'ledger_registrar',      'ledger_operator'),
      ('aliases_of',          'ledger_registrar',      'ledger_operator'),
      ('alias_delete',        'ledger_registrar',      'ledger_operator'),
      ('setting_read',        'ledger_registrar',      'ledger_operator, ledger_registrar'),
      ('setting_change',      'ledger_registrar',      'ledger_operator'),
      ('schema_version',      'ledger_registrar',      'ledger_operator'),
      ('snapshot_read',       'ledger_registrar',      'ledger_operator'),
      ('credential_put',      'ledger_registrar',      'ledger_operator'),
      ('credential_stands',   'ledger_registrar',      'ledger_operator'),
      ('credentials',         'ledger_registrar',      'ledger_operator'),
      ('credential_revoke',   'ledger_registrar',      'ledger_operator'),
      ('topic_create',        'ledger_custodian',      'ledger_operator'),
      ('topic_change',        'ledger_custodian',      'ledger_operator'),
      ('alias_put',           'ledger_custodian',      'ledger_operator'),
      ('topics_merge',        'ledger_custodian',      'ledger_operator'),
      ('alias_put',           'ledger_custodian',      'ledger_operator'),
      ('hold_place',          'ledger_writer',         'ledger_operator'),
      ('hold_lift',           'ledger_writer',         'ledger_operator'),
      ('sweep_ask',           'ledger_custodian',      'ledger_operator'),

      ('cut',                 'ledger_custodian',      'ledger_agent, ledger_capture, ledger_principal, ledger_operator, ledger_sweeper'),
      ('swept_on',            'ledger_custodian',      'ledger_sweeper'),
      ('sweep_pieces',        'ledger_custodian',      'ledger_sweeper'),
      ('sweep_due',           'ledger_custodian',      'ledger_sweeper'),
      ('sweep_expired',       'ledger_custodian',      'ledger_sweeper'),
      ('sweep_keys',          'ledger_custodian',      'ledger_sweeper'),
      ('sweep_credentials',   'ledger_custodian',      'ledger_sweeper'),
      ('sweep_snapshot',      'ledger_custodian',      'ledger_sweeper'),
      ('sweep_restamp',       'ledger_custodian',      'ledger_sweeper'),
      -- nobody but the owner of a table may write it anew on PostgreSQL 15 and 16
      ('sweep_rewrite',       'ledger_owner',          'ledger_sweeper'),
      ('sweep_held_back',     'ledger_custodian',      'ledger_sweeper'),
      ('sweep_done',          'ledger_custodian',      'ledger_sweeper'),

      -- what the record is compared with
      ('record_standing',     'ledger_own_reader',     'ledger_sweeper'),
      ('record_page',         'ledger_custodian',      'ledger_sweeper'),
      ('record_withholding',  'ledger_custodian',      'ledger_sweeper'),
      ('record_names',        'ledger_custodian',      'ledger_sweeper'),
      ('record_registry',     'ledger_custodian',      'ledger_sweeper'),
      ('record_state',        'ledger_custodian',      'ledger_sweeper'),
      ('record_renew',        'ledger_custodian',      'ledger_sweeper'),
      ('record_is_ahead',     'ledger_registrar',      'ledger_sweeper'),
      -- and what `reconcile` does as the installer: no surface may
      ('record_keys',         'ledger_custodian',      'ledger_owner'),
      ('record_topics',       'ledger_own_reader',     'ledger_owner'),
      ('record_merge',        'ledger_custodian',      'ledger_owner'),
      ('record_restrict',     'ledger_custodian',      'ledger_owner'),
      ('record_apply',        'ledger_writer',         'ledger_owner'),
      ('record_is_lost',      'ledger_custodian',      'ledger_owner')
    ) as page(name, definer, callers)
  loop
    execute format('grant create on schema ledger to %I', f.definer);
    execute format('alter function ledger.%I owner to %I', f.name, f.definer);
    if f.definer <> 'ledger_owner' then
      execute format('revoke create on schema ledger from %I', f.definer);
    end if;
    execute format('revoke all on function ledger.%I from public', f.name);
    execute format('grant execute on function ledger.%I to %s', f.name, f.callers);
    -- A login may ask the server to print the plans of what it runs, and sees the rows in their constants.
    execute format('alter function ledger.%I set debug_print_parse = off', f.name);
    execute format('alter function ledger.%I set debug_print_rewritten = off', f.name);
    execute format('alter function ledger.%I set debug_print_plan = off', f.name);
  end loop;

  -- Whoever takes the lock of the whole gives up after two seconds, before others queue behind him for long.
  foreach n in array array[
    'cut', 'alias_put', 'alias_delete', 'topic_create', 'topic_change', 'topics_merge', 'sweep_expired', 'sweep_keys', 'sweep_snapshot',
    'sweep_restamp', 'record_merge', 'record_restrict', 'record_is_lost'
  ] loop
    execute format('alter function ledger.%I set lock_timeout = ''2s''', n);
  end loop;

  -- The tools belong to the owner of the schema and are for definers alone.
  for f in
    select p.oid::regprocedure as fn
      from pg_proc p
     where p.pronamespace = 'ledger'::regnamespace and not p.prosecdef
  loop
    execute format('alter function %s owner to ledger_owner', f.fn);
    execute format('revoke all on function %s from public', f.fn);
    execute format('grant execute on function %s to ledger_agent_keys, ledger_agent_content, ledger_own_reader, ledger_writer, ledger_registrar, ledger_custodian', f.fn);
  end loop;
  grant execute on function ledger.today() to ledger_capture, ledger_principal, ledger_operator, ledger_sweeper;
end $$;

-- ── What the server leaves open to everybody ─────────────────────────────────────────────────────
-- A raw login could hold a principal's lock and stop every capture of his, or end the sessions of the
-- application; read from counters, locks, sizes, the numbers of transactions or the length of the
-- write-ahead log what is written right now, and by whether it has a number of its own what its own call did;
-- or put what it knows into temporary tables and large objects. These are taken from PUBLIC where the installer may do so (a
-- superuser; the owner of the database for temporary tables); `answer-ledger doctor` reports where not. What is left
-- was looked at, function by function (tests/isolation/open_functions.txt).

do $$
declare
  f record;
begin
  begin
    execute format('revoke temporary on database %I from public', current_database());
  exception when insufficient_privilege then
    null;
  end;

  for f in
    select p.oid::regprocedure as fn,
           case
             when p.proname like '%advisory%' then 'ledger_writer, ledger_registrar, ledger_custodian'
             when p.proname in ('pg_current_snapshot', 'pg_current_xact_id_if_assigned', 'age') then
               'ledger_writer, ledger_registrar, ledger_custodian, pg_monitor'
             when p.proname = 'pg_relation_size' then 'ledger_custodian, pg_monitor'
             when p.proname in ('pg_current_xact_id', 'pg_control_system') then 'ledger_custodian, pg_monitor'
             when p.proname = 'pg_logical_emit_message' then 'ledger_writer'
             when p.proname ~ '^lo' or p.proname in ('pg_terminate_backend', 'pg_cancel_backend') then null
             else 'pg_monitor'
           end as whose
      from pg_proc p
     where p.pronamespace = 'pg_catalog'::regnamespace
       and (p.proname like 'pg\_%advisory%' or p.proname like 'pg\_stat\_get\_%'
            or p.proname ~ '^pg_(current|last)_wal_' or p.proname ~ '^pg_(relation|table|indexes|total_relation|database|tablespace)_size$'
            -- what counts or ticks with each transaction of anybody
            or p.oid in (to_regprocedure('pg_catalog.age(xid)'), to_regprocedure('pg_catalog.mxid_age(xid)'))
            or p.proname in (
              'pg_current_xact_id', 'txid_current', 'pg_export_snapshot', 'pg_control_system', 'pg_control_checkpoint',
              'pg_control_recovery', 'pg_control_init',
              'pg_lock_status', 'pg_blocking_pids', 'pg_safe_snapshot_blocking_pids', 'pg_get_replication_slots',
              'pg_current_xact_id_if_assigned', 'txid_current_if_assigned', 'pg_current_snapshot', 'txid_current_snapshot',
              'pg_xact_status', 'txid_status', 'pg_get_multixact_members',
              -- when it was committed
              'pg_xact_commit_timestamp', 'pg_xact_commit_timestamp_origin', 'pg_last_committed_xact',
              'pg_last_xact_replay_timestamp',
              -- which pages were written between two places of the log (PostgreSQL 17 and newer), and who waits for whom
              'pg_available_wal_summaries', 'pg_wal_summary_contents', 'pg_get_wal_summarizer_state',
              'pg_isolation_test_session_is_blocked',
              'lo_creat', 'lo_create', 'lo_from_bytea', 'lo_open', 'lo_put', 'lowrite',
              'pg_restore_relation_stats', 'pg_restore_attribute_stats', 'pg_clear_relation_stats', 'pg_clear_attribute_stats',
              'pg_logical_emit_message', 'pg_terminate_backend', 'pg_cancel_backend'))
  loop
    begin
      execute format('revoke execute on function %s from public', f.fn);
      if f.whose is not null then
        execute format('grant execute on function %s to %s', f.fn, f.whose);
      end if;
    exception when insufficient_privilege then
      null;
    end;
  end loop;

  for f in
    select c.oid::regclass as view from pg_class c
     where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'v'
       and (c.relname like 'pg\_stat\_%' or c.relname like 'pg\_statio\_%' or c.relname in ('pg_locks', 'pg_replication_slots'))
  loop
    begin
      execute format('revoke select on %s from public', f.view);
      execute format('grant select on %s to pg_monitor', f.view);
    exception when insufficient_privilege then
      null;
    end;
  end loop;

  -- to revoke what one may not is a warning only
  if has_function_privilege('public', 'pg_catalog.pg_lock_status()', 'execute') then
    raise notice 'locks, counters and large objects stay open to PUBLIC: that takes a superuser';
  end if;
end $$;
-- 11 · The columns are closed
--
-- The same list as 02_tables.sql, a second time and on purpose: whoever adds a column, a table, a serial
-- number or a foreign key in this schema is stopped until he has changed both, and the list in
-- src/ledger/db/models.py, in one review. It is a guard-rail against haste, no wall: an owner can take it
-- away. It lets a distributed engine make and move its shards.
--
-- An event trigger takes a superuser; where the installer is none, `answer-ledger doctor` says so.

create function ledger.keep_columns_closed() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  stranger text;
begin
  if current_setting('application_name') like 'citus%' then
    return;
  end if;
  select format('%s.%s', c.relname, a.attname)
    into stranger
    from pg_event_trigger_ddl_commands() d
    join pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and c.relkind <> 'i'
   where c.relnamespace = to_regnamespace('ledger')
     and (c.relkind not in ('r', 'p', 'i')
          or exists (select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f')
          or a.attname is not null and (c.relname, a.attname, format_type(a.atttypid, null)) not in (
      ('entry', 'principal', 'uuid'), ('entry', 'topic', 'text'), ('entry', 'answer', 'text'), ('entry', 'as_of', 'date'),
      ('pending', 'principal', 'uuid'), ('pending', 'topic', 'text'), ('pending', 'answer', 'text'), ('pending', 'as_of', 'date'),
      ('consent', 'principal', 'uuid'), ('consent', 'decision', 'text'), ('consent', 'decided_on', 'date'), ('consent', 'notice', 'text'),
      ('consent_history', 'principal', 'uuid'), ('consent_history', 'decided_on', 'date'), ('consent_history', 'decision', 'text'),
      ('consent_history', 'notice', 'text'),
      ('withheld', 'principal', 'uuid'), ('withheld', 'topic', 'text'),
      ('objection', 'principal', 'uuid'),
      ('legal_hold', 'principal', 'uuid'), ('legal_hold', 'erase_asked', 'boolean'),
      ('legal_hold', 'postponed', 'text[]'), ('legal_hold', 'postponed_waiting', 'text[]'),
      ('barrier', 'principal', 'uuid'), ('barrier', 'mark', 'uuid'), ('barrier', 'what', 'text'), ('barrier', 'not_before', 'date'),
      ('audit', 'principal', 'uuid'), ('audit', 'on_day', 'date'), ('audit', 'action', 'text'), ('audit', 'n', 'integer'),
      ('topic', 'key', 'text'), ('topic', 'question', 'text'), ('topic', 'handling', 'text'), ('topic', 'authority', 'text'),
      ('topic', 'reconfirm_after', 'integer'), ('topic', 'drop_after', 'integer'), ('topic', 'listed', 'boolean'),
      ('topic_alias', 'alias', 'text'), ('topic_alias', 'key', 'text'),
      ('retired_key', 'key', 'text'), ('retired_key', 'merged_into', 'text'), ('retired_key', 'fixed', 'boolean'),
      ('retired_key', 'handling', 'text'),
      ('former_key', 'label', 'text'), ('former_key', 'key', 'text'),
      ('bare_form', 'form', 'text'),
      ('outcome', 'topic', 'text'), ('outcome', 'age_weeks', 'integer'), ('outcome', 'still_true', 'boolean'), ('outcome', 'n', 'integer'),
      ('snapshot', 'topic', 'text'), ('snapshot', 'age_weeks', 'integer'), ('snapshot', 'n', 'integer'),
      ('proposal', 'topic', 'text'),
      ('setting', 'only_row', 'boolean'), ('setting', 'reconfirm_after', 'integer'), ('setting', 'drop_after', 'integer'),
      ('setting', 'undecided_tier', 'text'), ('setting', 'visible_from', 'text'), ('setting', 'pepper_proof', 'uuid'),
      ('credential', 'id', 'uuid'), ('credential', 'issued_on', 'date'), ('credential', 'expires_on', 'date'), ('credential', 'revoked', 'boolean'),
      ('setting', 'record_ahead', 'boolean'),
      ('sweep_mark', 'only_row', 'boolean'), ('sweep_mark', 'cut_on', 'date'), ('sweep_mark', 'cut_at', 'xid8'),
      ('sweep_mark', 'cluster', 'bigint'), ('sweep_mark', 'restored_on', 'date'), ('sweep_mark', 'swept_on', 'date'),
      ('sweep_mark', 'snapshot_on', 'date'), ('sweep_mark', 'asked_on', 'date'), ('sweep_mark', 'asked_hour', 'integer'),
      ('sweep_mark', 'record_mark', 'uuid'),
      ('piece_mark', 'piece', 'regclass'), ('piece_mark', 'stamp', 'xid8'), ('piece_mark', 'up_to', 'xid8'),
      ('version', 'version_num', 'character varying')))
   limit 1;
  if found then
    raise exception 'the columns of the ledger are closed: % is not on the list', stranger
      using errcode = 'LG008', hint = 'schema/11_closed.sql says why, and what has to be changed together.';
  end if;
end $$;
alter function ledger.keep_columns_closed() owner to ledger_owner;
revoke all on function ledger.keep_columns_closed() from public;

do $$
begin
  create event trigger ledger_columns_closed on ddl_command_end
    execute function ledger.keep_columns_closed();
exception when insufficient_privilege then
  raise notice 'no event trigger guards the columns: that takes a superuser';
end $$;
