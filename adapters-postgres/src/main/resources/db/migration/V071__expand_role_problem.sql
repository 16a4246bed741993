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
