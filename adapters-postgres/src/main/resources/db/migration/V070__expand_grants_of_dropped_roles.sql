-- A grant ends with its role: a later role of the same name has another oid. Null until the grants are applied.
ALTER TABLE sql_grant ADD COLUMN role_oid oid;
UPDATE sql_grant SET role_oid = to_regrole(quote_ident(role));

-- Every function that checks a grant checks that its role is that of then.
DO
$$
DECLARE
  function regprocedure;
BEGIN
  FOR function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'hapax'::regnamespace AND prosrc LIKE '%to\_regrole(quote\_ident(g.role))%'
  LOOP
    EXECUTE replace(pg_get_functiondef(function), $text$pg_has_role(hapax.caller(), to_regrole(quote_ident(g.role)), 'USAGE')$text$,
      $text$g.role_oid = to_regrole(quote_ident(g.role)) AND pg_has_role(hapax.caller(), g.role_oid, 'USAGE')$text$);
  END LOOP;
  EXECUTE replace(replace(pg_get_functiondef('hapax.apply_sql_grants'::regproc),
    'ON g.role = r.rolname', 'ON g.role = r.rolname AND g.role_oid = r.oid'),
    -- `hapax sql grant` of an older version sets none
    E'PERFORM pg_advisory_xact_lock(4217004);\n', E'PERFORM pg_advisory_xact_lock(4217004);\n'
      || E'  UPDATE hapax.sql_grant SET role_oid = to_regrole(quote_ident(role)) WHERE role_oid IS NULL;\n');
END
$$;
