-- The entities as their last committed change left them, for joins in transactions of applications: a completion that no
-- server has carried out yet counts. A role reads the workspaces of its grants. Conditions of queries that may leak what
-- they compare come after that; equality may not, so a lookup finds its row by the primary key.
CREATE VIEW entity_now WITH (security_barrier) AS
  SELECT e.workspace, e.lifecycle, e.id AS entity,
    CASE WHEN e.pending_intent IS NULL THEN e.status ELSE e.to_status END AS status,
    CASE WHEN e.pending_intent IS NULL THEN e.version ELSE e.version + 1 END AS version,
    CASE WHEN e.pending_intent IS NULL
      THEN (SELECT v.at FROM hapax.entity_event v WHERE v.workspace = e.workspace AND v.lifecycle = e.lifecycle
        AND v.entity_id = e.id AND v.version = e.version)
      ELSE (SELECT i.posted_at FROM hapax.inbox i WHERE i.workspace = e.workspace AND i.id = e.pending_intent)
    END AS since
  FROM hapax.entity e
  WHERE (e.workspace = ANY ((
    SELECT array_agg(g.workspace) FROM hapax.sql_grant g
    WHERE g.role_oid = to_regrole(quote_ident(g.role)) AND pg_has_role(hapax.caller(), g.role_oid, 'USAGE'))::text[])) IS TRUE;

-- Lets the roles of sql_grant, and no others, call the functions of their verbs, and read entity_now. Runs after each
-- change of sql_grant and after each migration, which may have replaced a function.
CREATE FUNCTION apply_sql_grants() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  door record;
  caller record;
BEGIN
  -- sessions that grant at once wait for each other: PostgreSQL fails concurrent GRANTs on one schema
  PERFORM pg_advisory_xact_lock(4217004);
  INSERT INTO hapax.inbox_share SELECT DISTINCT g.workspace, 0, 0 FROM hapax.sql_grant g ON CONFLICT DO NOTHING;
  FOR door IN
    SELECT 'EXECUTE ON FUNCTION ' || p.oid::regprocedure AS privilege, p.proname AS verb, p.proacl AS acl
    FROM pg_proc p
    WHERE p.pronamespace = 'hapax'::regnamespace
      AND p.proname IN ('start_run', 'signal_run', 'signal_hook', 'cancel_run', 'ticket',
        'complete_action', 'complete_task', 'complete_operation', 'complete')
    UNION ALL
    SELECT 'SELECT ON hapax.entity_now', 'entity_now', c.relacl
    FROM pg_class c WHERE c.oid = 'hapax.entity_now'::regclass
  LOOP
    FOR caller IN
      SELECT r.rolname AS role, bool_or(g.role IS NOT NULL) AS is_granted,
        bool_or(g.role IS NOT NULL AND (door.verb IN ('ticket', 'entity_now') OR door.verb = ANY (g.verbs)
          OR door.verb = 'complete'
            AND g.verbs && ARRAY['complete_action', 'complete_task', 'complete_operation'])) AS may
      FROM pg_roles r LEFT JOIN hapax.sql_grant g ON g.role = r.rolname AND g.role_oid = r.oid
      WHERE g.role IS NOT NULL OR EXISTS (
        SELECT FROM aclexplode(door.acl) a
        WHERE a.grantee = r.oid AND a.grantee <> a.grantor)
      GROUP BY r.rolname
    LOOP
      IF caller.may THEN
        EXECUTE format('GRANT USAGE ON SCHEMA hapax TO %I', caller.role);
        EXECUTE format('GRANT %s TO %I', door.privilege, caller.role);
      ELSE
        EXECUTE format('REVOKE %s FROM %I', door.privilege, caller.role);
      END IF;
      IF NOT caller.is_granted THEN
        EXECUTE format('REVOKE USAGE ON SCHEMA hapax FROM %I', caller.role);
      END IF;
    END LOOP;
  END LOOP;
END
$$;

-- Every role of the cluster may execute a new function; here those of sql_grant may, and servers what they need.
DO $$
DECLARE
  function regprocedure;
BEGIN
  FOR function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'hapax'::regnamespace AND proname NOT IN ('expect', 'role_name', 'caller', 'role_problem')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function);
  END LOOP;
END
$$;
