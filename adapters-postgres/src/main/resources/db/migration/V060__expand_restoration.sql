-- The restores of this database to an earlier state, as `hapax doctor --after-restore` recorded them. Each begins an
-- epoch: grants of before are refused, and servers that started before have to restart, since they may remember what
-- the restored state does not have.
CREATE TABLE restoration (
  epoch    integer     NOT NULL PRIMARY KEY CHECK (epoch > 0),
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- it serves the callers of the lost database, or it is a copy beside the original
  kind     text        COLLATE "C" NOT NULL CHECK (kind IN ('replacement', 'copy')),
  -- the last heartbeat of a server in the restored state; none = no server had registered
  state_of timestamptz
);

-- Registers a server that started in an epoch, or renews its row. Raises HX004 if a later epoch has begun, or if the
-- server does not know a feature that was used.
CREATE FUNCTION register_node(id uuid, version text, features integer, epoch integer) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  restored timestamptz;
BEGIN
  SELECT r.at INTO restored FROM hapax.restoration r WHERE r.epoch > register_node.epoch ORDER BY r.epoch LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'HX004',
      MESSAGE = format('this database was restored at %s, after the server had started; restart the server',
        to_char(restored AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
  END IF;
  PERFORM hapax.register_node(register_node.id, register_node.version, register_node.features);
END
$$;

REVOKE EXECUTE ON FUNCTION register_node(uuid, text, integer, integer) FROM PUBLIC;
