-- How often a server has registered: an older state has a lower number, or no row.
ALTER TABLE node ADD COLUMN beats bigint NOT NULL DEFAULT 0;

-- Registers a server, or renews its row; returns how often it has registered, the timeline and the time. Raises
-- HX004 if the database is not the one that the server knows, or uses a feature that it does not know.
CREATE FUNCTION register_node(id uuid, version text, features integer, epoch integer, INOUT beats bigint,
  OUT timeline integer, OUT now timestamptz) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on AS
$$
DECLARE
  problem text := hapax.identity_problem();
  stored bigint;
BEGIN
  PERFORM hapax.register_node(register_node.id, register_node.version, register_node.features, register_node.epoch)
    WHERE problem IS NULL;
  SELECT n.beats INTO stored FROM hapax.node n WHERE n.id = register_node.id;
  IF problem IS NULL AND stored < register_node.beats THEN
    problem := format('this database is in an older state: it has registration %s of this server, and not %s',
      stored, register_node.beats);
  END IF;
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'HX004',
      MESSAGE = problem || '; stop all servers, then run `hapax doctor --after-restore`',
      HINT = 'docs/backup.md says which kind of restore to name.';
  END IF;
  PERFORM hapax.adopt_identity();
  UPDATE hapax.node n SET beats = n.beats + 1 WHERE n.id = register_node.id
    RETURNING n.beats INTO register_node.beats;
  SELECT i.timeline INTO register_node.timeline FROM hapax.installation i;
  register_node.now := clock_timestamp();
END
$$;

REVOKE EXECUTE ON FUNCTION register_node(uuid, text, integer, integer, bigint) FROM PUBLIC;
