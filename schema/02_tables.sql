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
