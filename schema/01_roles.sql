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
