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
