-- Raises HX004 while a live server does not know turns (feature 2): it would not end an attempt in time. Servers call it
-- once, before they register the first definition with times.
CREATE OR REPLACE FUNCTION use_turns() RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
SELECT hapax.require_feature(2)
$$;

REVOKE EXECUTE ON FUNCTION use_turns() FROM PUBLIC;
