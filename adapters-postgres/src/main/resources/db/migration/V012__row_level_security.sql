-- The second wall between workspaces: a statement reads and writes only rows of the workspaces in its scope,
-- `hapax.scope`, whatever its own conditions are. It applies to the roles of this database, and not to the owner
-- of the tables: backups and psql see all. No scope, no rows.

-- The name of a role of this database: roles belong to the whole cluster, which may have several of them.
CREATE FUNCTION role_name(kind text) RETURNS name LANGUAGE sql STABLE
  SET search_path = pg_catalog, pg_temp
  RETURN 'hapax_' || CASE WHEN octet_length(current_database()) <= 40 THEN current_database()
                          ELSE md5(current_database()) END || '_' || kind;

-- Sets the scope of a transaction, as SET LOCAL does, which takes no parameters.
CREATE FUNCTION set_scope(names text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
  EXECUTE 'SET LOCAL hapax.scope = ' || quote_literal(names);
END
$$;

-- Lets sessions find and write only the rows of a table whose workspaces are in their scope.
-- The conditions of statements are leakproof operators, so they still choose the index. IS TRUE keeps the scope
-- itself out of it: a search for each of its workspaces. The SELECT makes the list once for each statement, and hides it
-- from the planner: a plan that is kept must not depend on the scope in which it was made. A table that is spread over
-- several nodes may have no SELECT there. The other condition is evaluated for each row, where a list would take 25 µs
-- to make with 256 workspaces. No name has a comma or a wildcard.
CREATE FUNCTION raise_wall(walled name, on_one_node boolean DEFAULT true) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  condition text := CASE WHEN on_one_node
    THEN $one$workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])$one$
    ELSE $each$workspace = current_setting('hapax.scope', true)
      OR (',' || current_setting('hapax.scope', true) || ',') LIKE ('%,' || workspace || ',%')$each$ END;
BEGIN
  EXECUTE format('ALTER TABLE hapax.%I ENABLE ROW LEVEL SECURITY', walled);
  EXECUTE format('%s POLICY workspaces_in_scope ON hapax.%I USING ((%s) IS TRUE)',
    CASE WHEN EXISTS (SELECT FROM pg_policies p WHERE p.schemaname = 'hapax' AND p.tablename = walled
      AND p.policyname = 'workspaces_in_scope') THEN 'ALTER' ELSE 'CREATE' END,
    walled, condition);
END
$$;

-- in the order in which batches lock the tables
SELECT hapax.raise_wall(walled)
FROM unnest('{operation,operation_result,lifecycle,lifecycle_version,janitor,janitor_round,entity,entity_event,
  entity_deletion,definition,run_key,hook,run,run_event,run_label,run_signal,run_step,inbox,inbox_share,intent_outcome,
  sql_grant}'::name[]) walled;

-- Why the roles of servers are not safe to use, or null. They are for sessions of servers alone: a login of such a role,
-- or a member of it, has the rights of a server. Members may be administrators of roles, members of the owner, and
-- users of servers, which log in and are members of both roles.
CREATE FUNCTION role_problem() RETURNS text LANGUAGE sql STABLE
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
  WITH own AS (
    SELECT * FROM pg_roles WHERE rolname IN (hapax.role_name('runtime'), hapax.role_name('maintenance')))
  SELECT coalesce(
    (SELECT format('role %1$I can log in, which no role of servers may: ALTER ROLE %1$I NOLOGIN PASSWORD NULL', rolname)
      FROM own WHERE rolcanlogin ORDER BY rolname LIMIT 1),
    (SELECT format('role %1$I passes row-level security: ALTER ROLE %1$I NOSUPERUSER NOBYPASSRLS', rolname)
      FROM own WHERE rolsuper OR rolbypassrls ORDER BY rolname LIMIT 1),
    (SELECT format('role %1$I is a member of %2$I, and is no user of servers, which logs in and is a member of both roles: REVOKE %2$I FROM %1$I',
        m.rolname, own.rolname)
      FROM own, pg_roles m, pg_namespace n
      WHERE n.nspname = 'hapax' AND m.oid <> own.oid AND pg_has_role(m.oid, own.oid, 'MEMBER')
        AND NOT m.rolsuper AND NOT m.rolcreaterole AND NOT pg_has_role(m.oid, n.nspowner, 'MEMBER')
        AND NOT (m.rolcanlogin AND (SELECT bool_and(pg_has_role(m.oid, o.oid, 'MEMBER')) FROM own o))
      ORDER BY m.rolname, own.rolname LIMIT 1))
$$;
