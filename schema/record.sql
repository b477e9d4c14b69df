-- The record in a database of its own, of another cluster (LEDGER_TAKEN_URL)
--
-- What was taken away and still stands, as keyed hashes and days: no word, no outside id, no instant, no serial number.
-- 09_record.sql says what it is for. It is rewritten whole by each sweep, in key order, by one statement: then nothing
-- tells which row was written before which. `fresh` are the rows since the last sweep.
--
-- The login of LEDGER_TAKEN_URL owns it; no surface of the ledger may come here. The ledger makes it when it first opens
-- it, so everything here is repeatable.

create schema if not exists ledger_record;

create table if not exists ledger_record.taken (
  principal uuid              not null,
  what      text collate "C"  not null,
  mark      uuid              not null,
  day       date,
  fresh     boolean           not null,
  primary key (principal, what, mark)
);
comment on table ledger_record.taken is 'What stands of a principal, or of the registry (principal 0, or the mark of a topic).';

create table if not exists ledger_record.head (
  only_row boolean not null primary key default true check (only_row),
  proof    uuid    not null,
  mark     uuid    not null
);
comment on table ledger_record.head is 'Whose record this is (a keyed hash of the pepper), and the mark of the last sweep.';
