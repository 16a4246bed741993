-- The second wall between workspaces: a statement reads and writes only rows of the workspaces in its scope,
-- `hapax.scope`, whatever its own conditions are. It applies to the roles of this database, and not to the owner
-- of the tables: backups, psql and servers of the version before work as they did. No scope, no rows.

-- The name of a role of this database: roles belong to the whole cluster, which may have several of them.
CREATE FUNCTION role_name(kind text) RETURNS name LANGUAGE sql STABLE
  SET search_path = pg_catalog, pg_temp
  RETURN 'hapax_' || CASE WHEN octet_length(current_database()) <= 40 THEN current_database()
                          ELSE md5(current_database()) END || '_' || kind;

-- The conditions of statements are leakproof operators, so they still choose the index. IS TRUE keeps the scope
-- itself out of it: a search for each of its workspaces.
DO $$
DECLARE
  wall text;
BEGIN
  -- in the order in which batches lock the tables
  FOREACH wall IN ARRAY ARRAY['operation', 'operation_result', 'lifecycle', 'lifecycle_version', 'janitor',
      'janitor_round', 'entity', 'entity_event', 'entity_deletion', 'definition', 'run_key', 'hook', 'run', 'run_event',
      'run_label', 'run_signal', 'run_step'] LOOP
    EXECUTE format('ALTER TABLE hapax.%I ENABLE ROW LEVEL SECURITY', wall);
    EXECUTE format($policy$
      CREATE POLICY workspaces_in_scope ON hapax.%I
        USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE)
      $policy$, wall);
  END LOOP;
END
$$;

-- Creates the partition of a day, for a role that owns no table. Rows reach it through its parent, whose
-- policies count; it has none itself, so that no role can read it directly.
CREATE FUNCTION create_result_partition(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  partition text := format('hapax.operation_result_%s', to_char(day, 'YYYYMMDD'));
  attached text := format('SELECT FROM pg_inherits WHERE inhrelid = to_regclass(%L)
    AND inhparent = ''hapax.operation_result''::regclass AND NOT inhdetachpending', partition);
  found boolean;
BEGIN
  IF to_regclass(partition) IS NOT NULL THEN
    EXECUTE format('SELECT EXISTS (%s)', attached) INTO found;
    IF found THEN
      RETURN;
    END IF;
    -- an earlier version did not attach it: it may lack newer columns; another node may attach it until it is locked
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', partition);
    EXECUTE format('SELECT EXISTS (%s)', attached) INTO found;
    IF found THEN
      RETURN;
    END IF;
    EXECUTE format('DROP TABLE %s', partition);
  END IF;
  -- CREATE TABLE ... PARTITION OF would lock the parent exclusively; to attach one does not
  EXECUTE format('CREATE TABLE %s (LIKE hapax.operation_result INCLUDING CONSTRAINTS)', partition);
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', partition);
  EXECUTE format('ALTER TABLE hapax.operation_result ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
    partition, day, day + 1);
END
$$;

-- Drops the partition of a day that is over, also one whose detaching an earlier version has not ended.
CREATE FUNCTION drop_result_partition(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
  IF day >= (clock_timestamp() AT TIME ZONE 'UTC')::date THEN
    RAISE EXCEPTION 'results that are kept until % are still needed', day;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS hapax.operation_result_%s', to_char(day, 'YYYYMMDD'));
END
$$;

REVOKE EXECUTE ON FUNCTION create_result_partition(date), drop_result_partition(date) FROM PUBLIC;

DO $$
DECLARE
  partition regclass;
BEGIN
  FOR partition IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'hapax.operation_result'::regclass LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', partition);
  END LOOP;
END
$$;
