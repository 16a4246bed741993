-- The outbox of Hapax for a database of your own: functions that post intents in your transactions, and the table from
-- which OutboxRelay of the Java client sends them to a Hapax server. Needs PostgreSQL 13 or later. Run it as the owner
-- of the schema, in one transaction; it may run again. Functions insert one row and wait for no other transaction. Then:
--   GRANT USAGE ON SCHEMA hapax_outbox TO <role that posts>, <role of the relay>;
--   GRANT SELECT, UPDATE, DELETE ON hapax_outbox.intent TO <role of the relay>;

CREATE SCHEMA IF NOT EXISTS hapax_outbox;

CREATE TABLE IF NOT EXISTS hapax_outbox.intent (
  -- an intent that was posted after another was committed has a higher number
  seq             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- the idempotency key of a start without one, and the id of a signal without one
  ticket          text        NOT NULL,
  workspace       text        NOT NULL,
  verb            text        NOT NULL CHECK (verb IN ('start_run', 'signal_run', 'signal_hook', 'cancel_run')),
  posted_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- the role in force, as SET ROLE chose it; SECURITY DEFINER hides it in current_user
  role            text        NOT NULL DEFAULT coalesce(nullif(current_setting('role'), 'none'), session_user),
  -- how often a full inbox of its run put it off, and until when
  tries           integer     NOT NULL DEFAULT 0,
  not_before      timestamptz,
  -- the permanent error, as the rpc calls it
  failed_at       timestamptz,
  failed_reason   text,
  failed_detail   text,
  run_id          text,
  definition      text,
  version         text,
  input           jsonb,
  idempotency_key text,
  key_retention   interval,
  on_key_mismatch text,
  token           text,
  token_retention interval,
  on_conflict     text,
  expected_owner  text,
  signal_id       text,
  signal_type     text,
  signal_payload  jsonb,
  start_at        timestamptz,
  labels          jsonb,
  reason          text
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- The span that the session named with SET LOCAL hapax.traceparent; what is no valid one is ignored.
ALTER TABLE hapax_outbox.intent ADD COLUMN IF NOT EXISTS traceparent text DEFAULT
  substring(current_setting('hapax.traceparent', true)
    FROM '^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$');

-- How many runs wait for the token, with on_conflict queue; null = the default of the server.
ALTER TABLE hapax_outbox.intent ADD COLUMN IF NOT EXISTS queue_limit integer;

CREATE INDEX IF NOT EXISTS intent_posted ON hapax_outbox.intent (workspace, seq) WHERE failed_at IS NULL;

-- Raises HX001: an argument is invalid.
CREATE OR REPLACE FUNCTION hapax_outbox.reject_argument(argument text, rule text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'HX001', MESSAGE = argument || ' ' || rule;
END
$$;

-- A name as the API allows it; null if it is null or empty.
CREATE OR REPLACE FUNCTION hapax_outbox.intent_name(argument text, value text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
  IF char_length(value) > 255 THEN
    PERFORM hapax_outbox.reject_argument(argument,
      format('has %s characters; at most 255 are allowed', char_length(value)));
  ELSIF value ~ E'[\\x01-\\x1f\\x7f-\\x9f]' THEN
    PERFORM hapax_outbox.reject_argument(argument, 'has a control character');
  END IF;
  RETURN nullif(value, '');
END
$$;

CREATE OR REPLACE FUNCTION hapax_outbox.required_intent_name(argument text, value text) RETURNS text
  LANGUAGE plpgsql AS
$$
BEGIN
  IF coalesce(value, '') = '' THEN
    PERFORM hapax_outbox.reject_argument(argument, 'is required');
  END IF;
  RETURN hapax_outbox.intent_name(argument, value);
END
$$;

CREATE OR REPLACE FUNCTION hapax_outbox.intent_payload(argument text, value jsonb) RETURNS jsonb LANGUAGE plpgsql AS
$$
BEGIN
  IF octet_length(value::text) > 262144 THEN
    PERFORM hapax_outbox.reject_argument(argument,
      format('has %s bytes; at most 262144 are allowed', octet_length(value::text)));
  ELSIF value @? 'strict $.**{64} ? (@.type() == "object" || @.type() == "array")' THEN
    PERFORM hapax_outbox.reject_argument(argument, 'is nested deeper than 64');
  END IF;
  RETURN value;
END
$$;

CREATE OR REPLACE FUNCTION hapax_outbox.intent_retention(argument text, value interval) RETURNS interval
  LANGUAGE plpgsql AS
$$
DECLARE
  -- intervals compare a year as 360 days, and convert it to 365.25
  seconds numeric := extract(epoch FROM value);
BEGIN
  IF argument = 'key_retention' AND seconds = 0 THEN
    PERFORM hapax_outbox.reject_argument(argument, 'must be more than 0');
  ELSIF seconds < 0 OR seconds > 31536000 THEN
    PERFORM hapax_outbox.reject_argument(argument, format('must be between 0 and 365 days (was %s)', value));
  END IF;
  RETURN value;
END
$$;

CREATE OR REPLACE FUNCTION hapax_outbox.intent_run(argument text, value text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
  IF coalesce(value, '') = '' THEN
    PERFORM hapax_outbox.reject_argument(argument, 'is required');
  ELSIF value !~ '^run_[0-7][0-9a-hjkmnp-tv-z]{25}$' THEN
    PERFORM hapax_outbox.reject_argument(argument, 'must be the id of a run, such as run_01k…');
  END IF;
  RETURN value;
END
$$;

CREATE OR REPLACE FUNCTION hapax_outbox.intent_workspace(workspace text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  own text := coalesce(nullif(workspace, ''), 'default');
BEGIN
  IF own !~ '^[a-z][a-z0-9-]{0,62}$' THEN
    PERFORM hapax_outbox.reject_argument('workspace',
      'must have 1 to 63 lower-case letters, digits and hyphens, and begin with a letter');
  END IF;
  RETURN own;
END
$$;

-- Unique in all databases, since servers know it as a key.
CREATE OR REPLACE FUNCTION hapax_outbox.draw_ticket() RETURNS text LANGUAGE sql VOLATILE AS
$$ SELECT 'outbox_' || replace(gen_random_uuid()::text, '-', '') $$;

-- The one of an earlier version would make calls by name ambiguous.
DROP FUNCTION IF EXISTS hapax_outbox.start_run(text, text, jsonb, text, text, interval, text, text, interval, text, text,
  text, jsonb, text, timestamptz, jsonb);

-- Starts a run if this transaction commits, and returns the ticket. As StartRun; without an idempotency_key the ticket
-- is the key.
CREATE OR REPLACE FUNCTION hapax_outbox.start_run(
  workspace text,
  definition text,
  input jsonb DEFAULT '{}',
  version text DEFAULT NULL,
  idempotency_key text DEFAULT NULL,
  key_retention interval DEFAULT NULL,
  on_key_mismatch text DEFAULT 'error',
  token text DEFAULT NULL,
  token_retention interval DEFAULT NULL,
  on_conflict text DEFAULT 'reject',
  expected_owner text DEFAULT NULL,
  signal_type text DEFAULT NULL,
  signal_payload jsonb DEFAULT NULL,
  signal_id text DEFAULT NULL,
  start_at timestamptz DEFAULT NULL,
  labels jsonb DEFAULT NULL,
  queue_limit integer DEFAULT NULL
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  ticket text := hapax_outbox.draw_ticket();
  has_signal boolean := coalesce(signal_type, signal_payload::text, signal_id) IS NOT NULL;
  names bigint;
BEGIN
  IF on_conflict IS NULL OR on_conflict NOT IN ('reject', 'use_existing', 'signal_existing', 'supersede', 'queue') THEN
    PERFORM hapax_outbox.reject_argument('on_conflict',
      format('must be reject, use_existing, signal_existing, supersede or queue (was %s)', on_conflict));
  ELSIF on_conflict <> 'reject' AND coalesce(token, '') = '' THEN
    PERFORM hapax_outbox.reject_argument('token', format('is required for on_conflict %s', on_conflict));
  ELSIF on_conflict = 'signal_existing' AND NOT has_signal THEN
    PERFORM hapax_outbox.reject_argument('signal_type', 'is required for on_conflict signal_existing');
  ELSIF expected_owner <> '' AND on_conflict <> 'supersede' THEN
    PERFORM hapax_outbox.reject_argument('expected_owner', 'is only allowed with on_conflict supersede');
  ELSIF queue_limit IS NOT NULL AND on_conflict <> 'queue' THEN
    PERFORM hapax_outbox.reject_argument('queue_limit', 'is only allowed with on_conflict queue');
  ELSIF queue_limit NOT BETWEEN 1 AND 10000 THEN
    PERFORM hapax_outbox.reject_argument('queue_limit', format('must be between 1 and 10000 (was %s)', queue_limit));
  ELSIF on_key_mismatch IS NULL OR on_key_mismatch NOT IN ('error', 'return_existing', 'restart_failed') THEN
    PERFORM hapax_outbox.reject_argument('on_key_mismatch',
      format('must be error, return_existing or restart_failed (was %s)', on_key_mismatch));
  ELSIF on_key_mismatch = 'restart_failed' AND coalesce(idempotency_key, '') = '' THEN
    PERFORM hapax_outbox.reject_argument('idempotency_key', 'is required for on_key_mismatch restart_failed');
  ELSIF NOT isfinite(start_at) OR start_at > clock_timestamp() + interval '8760 hours' THEN
    PERFORM hapax_outbox.reject_argument('start_at', 'is more than 365 days ahead or infinite');
  END IF;
  IF labels IS NOT NULL THEN
    IF jsonb_typeof(labels) <> 'object' THEN
      PERFORM hapax_outbox.reject_argument('labels', 'must be a JSON object');
    END IF;
    SELECT count(hapax_outbox.required_intent_name('labels', l.key)
        || coalesce(hapax_outbox.intent_name('labels', l.value #>> '{}'), ''))
      INTO names FROM jsonb_each(labels) l;
    IF names > 32 THEN
      PERFORM hapax_outbox.reject_argument('labels', format('has %s labels; at most 32 are allowed', names));
    ELSIF EXISTS (SELECT FROM jsonb_each(labels) l WHERE jsonb_typeof(l.value) <> 'string') THEN
      PERFORM hapax_outbox.reject_argument('labels', 'has a value that is no string');
    END IF;
  END IF;
  INSERT INTO hapax_outbox.intent (ticket, workspace, verb, definition, version, input, idempotency_key, key_retention,
      on_key_mismatch, token, token_retention, on_conflict, queue_limit, expected_owner, signal_id, signal_type,
      signal_payload, start_at, labels)
    VALUES (ticket, hapax_outbox.intent_workspace(workspace), 'start_run',
      hapax_outbox.required_intent_name('definition', definition), hapax_outbox.intent_name('version', version),
      hapax_outbox.intent_payload('input', coalesce(input, '{}')),
      coalesce(hapax_outbox.intent_name('idempotency_key', idempotency_key), ticket),
      hapax_outbox.intent_retention('key_retention', key_retention), on_key_mismatch,
      hapax_outbox.intent_name('token', token), hapax_outbox.intent_retention('token_retention', token_retention),
      on_conflict, queue_limit,
      CASE WHEN expected_owner <> '' THEN hapax_outbox.intent_run('expected_owner', expected_owner) END,
      CASE WHEN has_signal THEN coalesce(hapax_outbox.intent_name('signal_id', signal_id), ticket) END,
      hapax_outbox.intent_name('signal_type', signal_type),
      hapax_outbox.intent_payload('signal_payload', signal_payload), start_at, labels);
  RETURN ticket;
END
$$;

-- Sends a signal to a run if this transaction commits, and returns the ticket. As SignalRun; without a signal_id the
-- ticket is the id.
CREATE OR REPLACE FUNCTION hapax_outbox.signal_run(workspace text, run_id text, type text,
  payload jsonb DEFAULT NULL, signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  ticket text := hapax_outbox.draw_ticket();
BEGIN
  INSERT INTO hapax_outbox.intent (ticket, workspace, verb, run_id, signal_id, signal_type, signal_payload)
    VALUES (ticket, hapax_outbox.intent_workspace(workspace), 'signal_run', hapax_outbox.intent_run('run_id', run_id),
      coalesce(hapax_outbox.intent_name('signal_id', signal_id), ticket), hapax_outbox.intent_name('type', type),
      hapax_outbox.intent_payload('payload', payload));
  RETURN ticket;
END
$$;

-- Sends a signal to the run that owns a token if this transaction commits, and returns the ticket. As SignalHook.
CREATE OR REPLACE FUNCTION hapax_outbox.signal_hook(workspace text, token text, type text,
  payload jsonb DEFAULT NULL, signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  ticket text := hapax_outbox.draw_ticket();
BEGIN
  INSERT INTO hapax_outbox.intent (ticket, workspace, verb, token, signal_id, signal_type, signal_payload)
    VALUES (ticket, hapax_outbox.intent_workspace(workspace), 'signal_hook',
      hapax_outbox.required_intent_name('token', token),
      coalesce(hapax_outbox.intent_name('signal_id', signal_id), ticket), hapax_outbox.intent_name('type', type),
      hapax_outbox.intent_payload('payload', payload));
  RETURN ticket;
END
$$;

-- Cancels a run if this transaction commits, and returns the ticket. As CancelRun.
CREATE OR REPLACE FUNCTION hapax_outbox.cancel_run(workspace text, run_id text, reason text DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  ticket text := hapax_outbox.draw_ticket();
BEGIN
  INSERT INTO hapax_outbox.intent (ticket, workspace, verb, run_id, reason)
    VALUES (ticket, hapax_outbox.intent_workspace(workspace), 'cancel_run', hapax_outbox.intent_run('run_id', run_id),
      hapax_outbox.intent_name('reason', reason));
  RETURN ticket;
END
$$;

-- The functions below have the rights of their caller, who needs those of the relay.

-- The intents that the server rejected for good, oldest first. They are kept until they are retried or discarded.
CREATE OR REPLACE FUNCTION hapax_outbox.failed()
  RETURNS TABLE (ticket text, workspace text, verb text, role text, posted_at timestamptz, failed_at timestamptz,
    reason text, detail text)
  LANGUAGE sql STABLE AS
$$
  SELECT i.ticket, i.workspace, i.verb, i.role, i.posted_at, i.failed_at, i.failed_reason, i.failed_detail
  FROM hapax_outbox.intent i WHERE i.failed_at IS NOT NULL ORDER BY i.seq
$$;

-- Lets the relay send a failed intent again, before later ones for the same run, token or key; false = no such one.
CREATE OR REPLACE FUNCTION hapax_outbox.retry(ticket text) RETURNS boolean LANGUAGE sql AS
$$
  WITH again AS (
    UPDATE hapax_outbox.intent i
    SET tries = 0, not_before = NULL, failed_at = NULL, failed_reason = NULL, failed_detail = NULL
    WHERE i.ticket = retry.ticket AND i.failed_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM again)
$$;

-- Removes a failed intent; false = no such one.
CREATE OR REPLACE FUNCTION hapax_outbox.discard(ticket text) RETURNS boolean LANGUAGE sql AS
$$
  WITH gone AS (
    DELETE FROM hapax_outbox.intent i WHERE i.ticket = discard.ticket AND i.failed_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM gone)
$$;
