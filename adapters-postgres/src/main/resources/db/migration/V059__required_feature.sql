-- The features that servers of this database must know. A feature is a kind of record or mark that servers of an older
-- version would misread. Features have consecutive numbers, and a server knows all up to its own.

-- The newest feature that was ever used in this database; 0 = none. One row, which is only raised.
CREATE TABLE required_feature (feature integer NOT NULL);
INSERT INTO required_feature VALUES (0);

-- Registers a server, or renews its row. Raises HX004 if it does not know a feature that was used.
CREATE FUNCTION register_node(id uuid, version text, features integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  used integer;
BEGIN
  UPDATE hapax.live_node n SET seen_at = clock_timestamp() WHERE n.id = register_node.id;
  IF FOUND THEN
    RETURN;
  END IF;
  -- it waits for a transaction that uses a feature for the first time, and the reverse; it writes, since a transaction
  -- with an older snapshot would not see the row of this server, and must fail
  UPDATE hapax.required_feature r SET feature = r.feature RETURNING r.feature INTO used;
  IF used > register_node.features THEN
    RAISE EXCEPTION USING ERRCODE = 'HX004',
      MESSAGE = format('server version %s knows features up to %s, but this database uses feature %s of a newer version',
        register_node.version, register_node.features, used),
      HINT = 'Start a newer version.';
  END IF;
  INSERT INTO hapax.node AS n (id, version, features)
    VALUES (register_node.id, register_node.version, register_node.features)
    -- the primary key by its name: id is also a parameter
    ON CONFLICT ON CONSTRAINT node_pkey DO UPDATE SET seen_at = clock_timestamp();
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

REVOKE EXECUTE ON FUNCTION register_node(uuid, text, integer), require_feature(integer) FROM PUBLIC;
