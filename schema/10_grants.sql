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
