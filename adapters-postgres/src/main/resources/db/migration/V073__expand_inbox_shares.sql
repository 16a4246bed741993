-- Half of the inbox is for one workspace, so that its backlog stops no other one. As inbox_count, for a workspace: at most
-- so many intents of it were there when the sequence had a value. A grant makes the row.
CREATE TABLE inbox_share (
  workspace  varchar(63) COLLATE "C" NOT NULL PRIMARY KEY,
  counted_to bigint      NOT NULL,
  posted     bigint      NOT NULL
) WITH (fillfactor = 50);
INSERT INTO inbox_share SELECT DISTINCT workspace, 0, 0 FROM sql_grant;

ALTER TABLE inbox_share ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_in_scope ON inbox_share
  USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE);

-- The most intents of all workspaces; one of them may have half.
CREATE FUNCTION inbox_limit() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000000::bigint;

-- The number of the next intent of a workspace. Counts only when the inbox, or its share, may be full since the last
-- count. In place of next_intent(), which transactions may still call that run during the migration.
CREATE FUNCTION next_intent(own text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
  most CONSTANT bigint := hapax.inbox_limit();
  share CONSTANT bigint := most / 2;
  number bigint := nextval('hapax.inbox_seq');
  found bigint;
BEGIN
  IF coalesce((SELECT s.posted + number - s.counted_to FROM hapax.inbox_share s WHERE s.workspace = own), number) > share
  THEN
    SELECT count(*) INTO found FROM (SELECT FROM hapax.inbox i WHERE i.workspace = own LIMIT share) i;
    IF found >= share THEN
      RAISE EXCEPTION USING ERRCODE = 'HX005',
        MESSAGE = format('the inbox is full for workspace %s: it has %s intents that no server has taken, and half of the inbox is for one workspace',
          own, found),
        HINT = 'Check that a Hapax server runs on this database, and that runs take their signals.';
    END IF;
    -- this one is not there yet; another session may count: no session waits
    UPDATE hapax.inbox_share SET posted = found, counted_to = number - 1
      WHERE ctid = (SELECT ctid FROM hapax.inbox_share WHERE workspace = own FOR UPDATE SKIP LOCKED);
  END IF;
  IF (SELECT posted + number - counted_to FROM hapax.inbox_count) > most THEN
    SELECT count(*) INTO found FROM (SELECT FROM hapax.inbox LIMIT most) i;
    IF found >= most THEN
      RAISE EXCEPTION USING ERRCODE = 'HX005',
        MESSAGE = format('the inbox is full for workspace %s and all others: together they have %s intents that no server has taken',
          own, found),
        HINT = 'Check that a Hapax server runs on this database.';
    END IF;
    UPDATE hapax.inbox_count SET posted = found, counted_to = number - 1
      WHERE ctid = (SELECT ctid FROM hapax.inbox_count FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN number;
END
$$;

REVOKE EXECUTE ON FUNCTION inbox_limit(), next_intent(text) FROM PUBLIC;

DO
$$
DECLARE
  function regprocedure;
BEGIN
  FOR function IN
    SELECT oid FROM pg_proc WHERE pronamespace = 'hapax'::regnamespace
      AND (prosrc LIKE '%hapax.next\_intent()%' OR prosrc LIKE '%1000000 + c.counted\_to%')
  LOOP
    EXECUTE replace(replace(replace(pg_get_functiondef(function), 'hapax.next_intent()', 'hapax.next_intent(own)'),
      '1000000 + c.counted_to - c.posted',
      'least(hapax.inbox_limit() + c.counted_to - c.posted, hapax.inbox_limit() / 2 + s.counted_to - s.posted)'),
      'FROM hapax.sql_grant g, hapax.inbox_count c',
      'FROM hapax.sql_grant g JOIN hapax.inbox_share s ON s.workspace = g.workspace, hapax.inbox_count c');
  END LOOP;
  EXECUTE replace(pg_get_functiondef('hapax.apply_sql_grants'::regproc),
    E'  UPDATE hapax.sql_grant SET role_oid', E'  INSERT INTO hapax.inbox_share SELECT DISTINCT g.workspace, 0, 0 '
      || E'FROM hapax.sql_grant g ON CONFLICT DO NOTHING;\n  UPDATE hapax.sql_grant SET role_oid');
END
$$;
