-- Gives the schema to a node of a Citus cluster, which then has all its tables. Runs on the coordinator, after
-- migrations, and may be repeated.

-- Policies of distributed tables may have no SELECT, also those of later migrations.
DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('hapax.raise_wall(name, boolean)'::regprocedure), 'DEFAULT true', 'DEFAULT false');
END
$$;
SELECT hapax.raise_wall(tablename) FROM pg_policies
WHERE schemaname = 'hapax' AND policyname = 'workspaces_in_scope' AND qual ILIKE '%SELECT%';

-- Keeps the tables on this node until the end of the transaction. A move of shards takes the same lock, exclusively, on all
-- nodes. 5 = ShareLock.
CREATE OR REPLACE FUNCTION hapax.hold_schema() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  shard bigint := (SELECT s.shardid FROM pg_dist_shard s WHERE s.logicalrelid = 'hapax.run'::regclass);
BEGIN
  PERFORM lock_shard_metadata(5, ARRAY[shard]);
  IF NOT EXISTS (SELECT FROM pg_dist_placement p, pg_dist_local_group g
      WHERE p.shardid = shard AND p.groupid = g.groupid) THEN
    RAISE EXCEPTION USING ERRCODE = 'HX004', MESSAGE = 'its tables are on another node of the Citus cluster now';
  END IF;
END
$$;

-- It is that of the node, and another one after a move, so it is hidden. The number of its last registration still tells a
-- server that the tables are in an older state.
CREATE OR REPLACE FUNCTION hapax.database_identity(OUT system_identifier bigint, OUT database_oid oid, OUT timeline integer)
  LANGUAGE sql AS 'SELECT NULL::bigint, NULL::oid, NULL::integer';

-- Numbers of transactions and of new intents, and the ids of roles, differ from node to node, so no SQL posts intents.
CREATE OR REPLACE FUNCTION hapax.apply_sql_grants() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
  IF EXISTS (SELECT FROM hapax.sql_grant) THEN
    RAISE EXCEPTION 'a cell in a Citus cluster has no SQL functions; remove the grants of the workspace first (hapax sql revoke)';
  END IF;
END
$$;

-- Only the coordinator creates and drops tables of a distributed schema: each node asks it to.
DO $$
DECLARE
  change text;
BEGIN
  FOREACH change IN ARRAY '{create,drop}'::text[] LOOP
    IF EXISTS (SELECT FROM pg_proc WHERE oid = format('hapax.%s_result_partition(date)', change)::regprocedure
        AND prosrc LIKE '%run_command_on_coordinator%') THEN
      CONTINUE;
    END IF;
    EXECUTE format('DROP FUNCTION IF EXISTS hapax.%s_result_partition_here(date)', change);
    EXECUTE format('ALTER FUNCTION hapax.%1$s_result_partition(date) RENAME TO %1$s_result_partition_here', change);
    EXECUTE format($create$
      CREATE FUNCTION hapax.%1$s_result_partition(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
      $body$
      DECLARE
        answer record;
      BEGIN
        SELECT * INTO answer
        FROM run_command_on_coordinator(format('SELECT hapax.%1$s_result_partition_here(%%L)', day));
        IF NOT answer.success THEN
          RAISE EXCEPTION 'the coordinator: %%', answer.result;
        END IF;
      END
      $body$
      $create$, change);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION hapax.%s_result_partition(date) FROM PUBLIC', change);
    IF to_regrole(hapax.role_name('maintenance')) IS NOT NULL THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION hapax.%s_result_partition(date) TO %I', change, hapax.role_name('maintenance'));
    END IF;
  END LOOP;
END
$$;

SELECT citus_schema_distribute('hapax');
