-- The servers of this database, and what each of them has to know.

-- The servers. Each process has a row, which it renews every ten seconds and removes when it stops.
CREATE TABLE node (
  id         uuid        NOT NULL PRIMARY KEY,
  version    text        COLLATE "C" NOT NULL,
  -- the newest feature that it knows; 0 = none
  features   integer     NOT NULL CHECK (features >= 0),
  -- when the row was inserted: at the start, or later if the row had gone
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- how often the server has registered: an older state of the database has a lower number, or no row
  beats      bigint      NOT NULL DEFAULT 0
);

-- The servers that run, as far as the database knows.
CREATE VIEW live_node AS
  SELECT id, version, features, started_at, seen_at FROM node WHERE seen_at > clock_timestamp() - interval '60 seconds';

-- The newest feature that was ever used in this database; 0 = none. One row, which is only raised. A feature is a kind of
-- record or mark that servers of an older version would misread. Features have consecutive numbers, and a server knows
-- all up to its own.
CREATE TABLE required_feature (feature integer NOT NULL);
INSERT INTO required_feature VALUES (0);
ALTER TABLE required_feature REPLICA IDENTITY FULL;

-- The restores of this database to an earlier state, as `hapax doctor --after-restore` recorded them. Each begins an
-- epoch: earlier grants are refused, and servers that started earlier have to restart, since they may remember what
-- the restored state does not have.
CREATE TABLE restoration (
  epoch    integer     NOT NULL PRIMARY KEY CHECK (epoch > 0),
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- it serves the callers of the lost database, or it is a copy beside the original
  kind     text        COLLATE "C" NOT NULL CHECK (kind IN ('replacement', 'copy')),
  -- the last heartbeat of a server in the restored state; none = no server had registered
  state_of timestamptz
);

-- The identity of this database: that of its cluster, its own number, and the timeline, which rises with each promotion.
-- A provider may hide the first and the last.
CREATE FUNCTION database_identity(OUT system_identifier bigint, OUT database_oid oid, OUT timeline integer)
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
  SELECT d.oid INTO database_identity.database_oid FROM pg_database d WHERE d.datname = current_database();
  BEGIN
    SELECT c.system_identifier INTO database_identity.system_identifier FROM pg_control_system() c;
  EXCEPTION WHEN others THEN
    NULL;
  END;
  BEGIN
    timeline := ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer;
  EXCEPTION WHEN others THEN
    NULL;
  END;
END
$$;

-- Why this database is not the one that servers have worked on; null = it is, or none has.
CREATE FUNCTION identity_problem() RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  known record;
  found record;
BEGIN
  SELECT i.system_identifier, i.database_oid, i.timeline INTO known FROM hapax.installation i;
  SELECT * INTO found FROM hapax.database_identity();
  IF known.system_identifier <> found.system_identifier THEN
    RETURN format('this is another database cluster (%s) than the one that servers worked on (%s)',
      found.system_identifier, known.system_identifier);
  ELSIF known.database_oid <> found.database_oid THEN
    RETURN format('this is another database (%s) than the one that servers worked on (%s)',
      found.database_oid, known.database_oid);
  ELSIF known.timeline > found.timeline THEN
    RETURN format('this database is in an older state: its timeline is %s, and servers worked on timeline %s',
      found.timeline, known.timeline);
  END IF;
  RETURN NULL;
END
$$;

-- Stores the identity of this database as that of the installation.
CREATE FUNCTION adopt_identity() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  found record;
BEGIN
  SELECT * INTO found FROM hapax.database_identity();
  UPDATE hapax.installation i
    SET system_identifier = found.system_identifier, database_oid = found.database_oid, timeline = found.timeline
    WHERE (i.system_identifier, i.database_oid, i.timeline) IS DISTINCT FROM
      (found.system_identifier, found.database_oid, found.timeline);
END
$$;

-- Registers a server that started in an epoch, or renews its row; returns how often it has registered, the timeline and
-- the time. Raises HX004 if the database is not the one that the server knows, if a later epoch has begun, or if the
-- database uses a feature that the server does not know.
CREATE FUNCTION register_node(id uuid, version text, features integer, epoch integer, INOUT beats bigint,
  OUT timeline integer, OUT now timestamptz) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  problem text := hapax.identity_problem();
  restored timestamptz;
  used integer;
  stored bigint;
  -- beside the UPDATE, which may call no volatile function in a database of several nodes
  seen timestamptz;
BEGIN
  IF problem IS NULL THEN
    SELECT r.at INTO restored FROM hapax.restoration r WHERE r.epoch > register_node.epoch ORDER BY r.epoch LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'HX004',
        MESSAGE = format('this database was restored at %s, after the server had started; restart the server',
          to_char(restored AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
    END IF;
    seen := clock_timestamp();
    UPDATE hapax.node n SET seen_at = seen
      WHERE n.id = register_node.id AND n.seen_at > seen - interval '60 seconds';
    IF NOT FOUND THEN
      -- it waits for a transaction that uses a feature for the first time, and the reverse; it writes, since a
      -- transaction with an older snapshot would not see the row of this server, and must fail
      UPDATE hapax.required_feature r SET feature = r.feature RETURNING r.feature INTO used;
      IF used > register_node.features THEN
        RAISE EXCEPTION USING ERRCODE = 'HX004',
          MESSAGE = format(
            'server version %s knows features up to %s, but this database uses feature %s of a newer version',
            register_node.version, register_node.features, used),
          HINT = 'Start a newer version.';
      END IF;
      seen := clock_timestamp();
      INSERT INTO hapax.node AS n (id, version, features)
        VALUES (register_node.id, register_node.version, register_node.features)
        -- the primary key by its name: id is also a parameter
        ON CONFLICT ON CONSTRAINT node_pkey DO UPDATE SET seen_at = seen;
    END IF;
  END IF;
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

-- Raises HX004 while a live server does not know the feature. Once it was used, servers without it cannot start, and
-- nothing is left to check. For functions that write what such servers would misread.
CREATE FUNCTION require_feature(feature integer) RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  older record;
BEGIN
  IF EXISTS (SELECT FROM hapax.required_feature r WHERE r.feature >= require_feature.feature) THEN
    RETURN;
  END IF;
  UPDATE hapax.required_feature r SET feature = require_feature.feature WHERE r.feature < require_feature.feature;
  SELECT n.id, n.version, n.features, clock_timestamp() - n.seen_at AS age INTO older FROM hapax.live_node n
    WHERE n.features < require_feature.feature ORDER BY n.seen_at DESC LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'HX004',
      MESSAGE = format('server %s of version %s does not know feature %s, which this function needs',
        older.id, older.version, require_feature.feature),
      DETAIL = format('It was seen %s s ago, and counts as running for 60 s.', extract(epoch FROM older.age)::integer),
      HINT = 'Upgrade or stop that server, then repeat the transaction.';
  END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION database_identity(), identity_problem(), adopt_identity(), require_feature(integer),
  register_node(uuid, text, integer, integer, bigint) FROM PUBLIC;
