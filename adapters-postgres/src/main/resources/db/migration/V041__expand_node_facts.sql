ALTER TABLE node
  -- what it reports of itself, as JSON: committers, API keys, certificates, its clock; null = its version reports nothing
  ADD COLUMN facts text COLLATE "C";

-- As register_node without facts, and stores what the server reports of itself. Null leaves it as it is.
CREATE FUNCTION register_node(id uuid, version text, features integer, epoch integer, INOUT beats bigint, facts text,
  OUT timeline integer, OUT now timestamptz) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
BEGIN
  SELECT r.beats, r.timeline, r.now INTO register_node.beats, register_node.timeline, register_node.now
    FROM hapax.register_node(register_node.id, register_node.version, register_node.features, register_node.epoch,
      register_node.beats) r;
  UPDATE hapax.node n SET facts = register_node.facts
    WHERE n.id = register_node.id AND register_node.facts IS NOT NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION register_node(uuid, text, integer, integer, bigint, text) FROM PUBLIC;
