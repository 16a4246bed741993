-- What shows that a database is not the one that its servers worked on: it was restored, copied, or moved by pg_upgrade.

-- The identity of the database, as the first server found it; null = none has, or the provider hides it.
ALTER TABLE installation
  ADD COLUMN system_identifier bigint,
  ADD COLUMN database_oid      oid,
  ADD COLUMN timeline          integer;

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
CREATE FUNCTION adopt_identity() RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS
$$
  UPDATE hapax.installation i
    SET system_identifier = d.system_identifier, database_oid = d.database_oid, timeline = d.timeline
    FROM hapax.database_identity() d
    WHERE (i.system_identifier, i.database_oid, i.timeline) IS DISTINCT FROM
      (d.system_identifier, d.database_oid, d.timeline)
$$;

REVOKE EXECUTE ON FUNCTION database_identity(), identity_problem(), adopt_identity() FROM PUBLIC;
