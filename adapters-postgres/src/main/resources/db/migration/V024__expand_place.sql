-- The lines of tokens: the runs that wait for each, by their turns. A place counts only while its run is blocked with this
-- turn, so the end of a run that waits needs no lock of the line.
CREATE TABLE place (
  workspace varchar(63) COLLATE "C" NOT NULL,
  hash      uuid        NOT NULL,
  turn      bigint      NOT NULL,
  run_id    uuid        NOT NULL,
  PRIMARY KEY (workspace, hash, turn)
);

SELECT hapax.raise_wall('place');

-- Raises HX004 while a live server does not know turns (feature 2): it could not read a run that waits, would retry one
-- that has lost its key, and would not end an attempt in time. Servers call it once, before they store the first of these.
CREATE FUNCTION use_turns() RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
SELECT hapax.require_feature(2)
$$;

REVOKE EXECUTE ON FUNCTION use_turns() FROM PUBLIC;
