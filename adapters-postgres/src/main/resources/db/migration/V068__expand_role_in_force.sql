-- Who posts is the role in force: the one that SET ROLE chose, or else the session user. Applications with one login and
-- a role for each tenant choose it for each request. SECURITY DEFINER hides it in current_user, but not here. A session
-- can set only a role that it may assume.
CREATE FUNCTION caller() RETURNS name LANGUAGE sql STABLE AS
$$ SELECT coalesce(nullif(current_setting('role'), 'none')::name, session_user) $$;

-- Every function that checked the session user checks the caller.
DO
$$
DECLARE
  function regprocedure;
BEGIN
  FOR function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'hapax'::regnamespace AND prosrc LIKE '%session\_user%' AND proname <> 'caller'
  LOOP
    EXECUTE replace(pg_get_functiondef(function), 'session_user', 'hapax.caller()');
  END LOOP;
END
$$;

-- Grants of two sessions at once wait for each other, as migrations do: PostgreSQL fails concurrent GRANTs on one schema.
DO
$$
BEGIN
  EXECUTE replace(pg_get_functiondef('hapax.apply_sql_grants()'::regprocedure), E'\nBEGIN\n',
    E'\nBEGIN\n  PERFORM pg_advisory_xact_lock(4217004);\n');
END
$$;
