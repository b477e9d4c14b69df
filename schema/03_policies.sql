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
