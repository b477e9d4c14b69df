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
--                       ledger_custodian                            everybody's rows; gives back counts
--   ledger_sweeper      ledger_custodian                            everybody's rows; gives back counts
--
-- Roles belong to the whole cluster: two databases in it share them, and passwords are set by
-- `answer-ledger migrate`, not here.

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
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %I to current_user', name);
    end if;
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
  end loop;

  -- The sweeper works on everybody at once: there hashing and scanning are right.
  alter role ledger_sweeper set enable_seqscan = on;
  alter role ledger_sweeper set enable_hashjoin = on;
  alter role ledger_sweeper set plan_cache_mode = auto;
end $$;
