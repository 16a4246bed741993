-- Raises HX004 while a live server does not know parts (feature 1): it would take a part without an output for a recorded
-- one. Servers call it once, before they write the first such part.
CREATE FUNCTION use_parts() RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
SELECT hapax.require_feature(1)
$$;

REVOKE EXECUTE ON FUNCTION use_parts() FROM PUBLIC;
