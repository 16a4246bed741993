-- The roles of servers, and their rights; see docs/adr/0006. Runs after each `hapax migrate`, as the owner of the
-- schema, and may run again at any time. Without the right to create roles it creates none: then an administrator
-- creates them, or servers work as the owner, without row-level security.
DO $$
DECLARE
  runtime name := hapax.role_name('runtime');
  maintenance name := hapax.role_name('maintenance');
  each_role name;
  -- before version 16 every member may assume a role
  may_assume text := CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END;
  wall text;
  problem text;
BEGIN
  IF NOT pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = 'hapax'), 'USAGE') THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(4217004);
  PERFORM hapax.apply_sql_grants();

  FOREACH each_role IN ARRAY ARRAY[runtime, maintenance] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = each_role) THEN
      IF NOT (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
        RETURN;
      END IF;
      EXECUTE format('CREATE ROLE %I NOLOGIN', each_role);
    END IF;
    IF NOT pg_has_role(each_role, may_assume) THEN
      BEGIN
        EXECUTE format('GRANT %I TO %I', each_role, current_user);
      EXCEPTION WHEN insufficient_privilege THEN
        NULL; -- an administrator has created the role: the owner need not be a member
      END;
    END IF;
  END LOOP;

  problem := hapax.role_problem();
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_role_specification', MESSAGE = problem;
  END IF;

  EXECUTE format('GRANT USAGE ON SCHEMA hapax TO %I, %I', runtime, maintenance);
  EXECUTE format('GRANT SELECT ON hapax.flyway_schema_history TO %I, %I', runtime, maintenance);
  EXECUTE format('GRANT SELECT, INSERT ON hapax.installation TO %I', runtime);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON hapax.committer TO %I', runtime);
  EXECUTE format('GRANT SELECT, DELETE ON hapax.node TO %I, %I', runtime, maintenance);
  EXECUTE format('GRANT SELECT ON hapax.live_node TO %I, %I', runtime, maintenance);
  EXECUTE format('GRANT SELECT ON hapax.restoration, hapax.required_feature TO %I, %I', runtime, maintenance);
  EXECUTE format('GRANT EXECUTE ON FUNCTION hapax.register_node(uuid, text, integer, integer, bigint, text),
    hapax.report_cells(uuid, bigint, text[]) TO %I',
    maintenance);

  -- servers read keys as the maintenance role, which alone needs them
  EXECUTE format('REVOKE ALL ON hapax.api_key, hapax.api_key_revision, hapax.api_key_use FROM %I', runtime);
  EXECUTE format('GRANT SELECT ON hapax.api_key, hapax.api_key_revision TO %I', maintenance);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON hapax.api_key_use TO %I', maintenance);

  -- what the ledger writes: it keeps histories and versions, and removes only live operations, results that
  -- are opened again, and deleted entities
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON hapax.operation, hapax.entity TO %I', runtime);
  EXECUTE format('GRANT SELECT, INSERT, DELETE ON hapax.operation_result, hapax.place, hapax.slot TO %I', runtime);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON hapax.run, hapax.run_key, hapax.run_signal, hapax.run_step,
    hapax.hook, hapax.lifecycle, hapax.janitor, hapax.janitor_round, hapax.entity_deletion, hapax.limit_line, hapax.limit_setting
    TO %I', runtime);
  EXECUTE format('GRANT SELECT, INSERT ON hapax.definition, hapax.lifecycle_version, hapax.run_event,
    hapax.run_label, hapax.entity_event TO %I', runtime);
  EXECUTE format('GRANT EXECUTE ON FUNCTION hapax.set_scope(text), hapax.use_parts(), hapax.use_turns() TO %I',
    runtime);
  -- intents: only functions of their own post them
  EXECUTE format('GRANT SELECT, UPDATE, DELETE ON hapax.inbox TO %I', runtime);
  EXECUTE format('GRANT SELECT, INSERT ON hapax.intent_outcome TO %I', runtime);
  EXECUTE format('GRANT SELECT ON hapax.sql_grant, hapax.inbox_share, hapax.moved, hapax.placement, hapax.move TO %I', runtime);
  EXECUTE format('GRANT SELECT ON hapax.cell TO %I', maintenance);

  -- what purges remove; to lock a row takes the right to update one column
  EXECUTE format('GRANT DELETE, UPDATE (workspace) ON hapax.run, hapax.run_key, hapax.hook, hapax.limit_line TO %I',
    maintenance);
  EXECUTE format('GRANT DELETE ON hapax.run_event, hapax.run_signal, hapax.run_step, hapax.run_label,
    hapax.entity_event, hapax.entity_deletion, hapax.place, hapax.slot TO %I', maintenance);
  EXECUTE format('GRANT UPDATE ON hapax.entity_deletion TO %I', maintenance);
  EXECUTE format('GRANT DELETE ON hapax.intent_outcome TO %I', maintenance);
  EXECUTE format('GRANT EXECUTE ON FUNCTION hapax.create_result_partition(date),
    hapax.drop_result_partition(date) TO %I', maintenance);

  FOR wall IN SELECT tablename FROM pg_policies
      WHERE schemaname = 'hapax' AND policyname = 'workspaces_in_scope' LOOP
    EXECUTE format('GRANT SELECT ON hapax.%I TO %I', wall, maintenance);
    IF NOT EXISTS (SELECT FROM pg_policies WHERE schemaname = 'hapax' AND tablename = wall
        AND policyname = 'all_workspaces' AND roles = ARRAY[maintenance]) THEN
      EXECUTE format('DROP POLICY IF EXISTS all_workspaces ON hapax.%I', wall);
      EXECUTE format('CREATE POLICY all_workspaces ON hapax.%I TO %I USING (true)', wall, maintenance);
    END IF;
  END LOOP;
END
$$;
