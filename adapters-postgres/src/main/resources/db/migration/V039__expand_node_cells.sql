ALTER TABLE node
  -- the epoch of the map that it uses; null = it follows no map
  ADD COLUMN placements bigint,
  -- the cells beside the first one that it can use
  ADD COLUMN cells      text[] COLLATE "C";

-- Stores which map and which cells a registered server uses.
CREATE FUNCTION report_cells(id uuid, placements bigint, cells text[]) RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
UPDATE hapax.node n SET placements = report_cells.placements, cells = report_cells.cells
  WHERE n.id = report_cells.id
    AND (n.placements, n.cells) IS DISTINCT FROM (report_cells.placements, report_cells.cells)
$$;
REVOKE EXECUTE ON FUNCTION report_cells FROM PUBLIC;
