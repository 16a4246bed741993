-- of an ended run: superseded_by took its idempotency key, so nothing continues it; null = it did not
ALTER TABLE run ADD COLUMN key_lost boolean;

-- Raises HX004 while a live server does not know turns (feature 2): it would retry a run that has lost its key. Servers
-- call it once, before they first decide a start that may take a key.
CREATE FUNCTION use_turns() RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
SELECT hapax.require_feature(2)
$$;

REVOKE EXECUTE ON FUNCTION use_turns() FROM PUBLIC;
