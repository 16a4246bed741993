ALTER TABLE inbox
  -- of a start with on_conflict queue: how many runs wait for the token at most; null = the default
  ADD COLUMN queue_limit     integer,
  -- of a start: a run that failed or was cancelled loses its key to it; null = it does not
  ADD COLUMN restarts_failed boolean;

-- A function with one parameter more would be another one beside it, and calls by name ambiguous.
DROP FUNCTION start_run(text, text, jsonb, text, text, interval, text, text, interval, text, text, text, jsonb, text,
  timestamptz, jsonb);
DROP FUNCTION start_checked_run(text, text, jsonb, text, text, interval, text, text, interval, text, text, text, jsonb,
  text, timestamptz, jsonb);

-- Checks all arguments, and posts. Has the rights and the search path of start_run, which calls it.
CREATE FUNCTION start_checked_run(
  workspace text,
  definition text,
  input jsonb,
  version text,
  idempotency_key text,
  key_retention interval,
  on_key_mismatch text,
  token text,
  token_retention interval,
  on_conflict text,
  expected_owner text,
  signal_type text,
  signal_payload jsonb,
  signal_id text,
  start_at timestamptz,
  labels jsonb,
  queue_limit integer
) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'start_run');
  id uuid := hapax.draw_intent_id();
  input_text text := hapax.intent_payload('input', coalesce(input, '{}'));
  signal_text text := hapax.intent_payload('signal_payload', signal_payload);
  has_signal boolean := coalesce(signal_type, signal_text, signal_id) IS NOT NULL;
  owner uuid;
  names text[];
  vals text[];
BEGIN
  IF on_conflict IS NULL OR on_conflict NOT IN ('reject', 'use_existing', 'signal_existing', 'supersede', 'queue') THEN
    PERFORM hapax.reject_argument('on_conflict',
      format('must be reject, use_existing, signal_existing, supersede or queue (was %s)', on_conflict));
  ELSIF on_conflict <> 'reject' AND coalesce(token, '') = '' THEN
    PERFORM hapax.reject_argument('token', format('is required for on_conflict %s', on_conflict));
  ELSIF on_conflict = 'signal_existing' AND NOT has_signal THEN
    PERFORM hapax.reject_argument('signal_type', 'is required for on_conflict signal_existing');
  ELSIF expected_owner <> '' AND on_conflict <> 'supersede' THEN
    PERFORM hapax.reject_argument('expected_owner', 'is only allowed with on_conflict supersede');
  ELSIF queue_limit IS NOT NULL AND on_conflict <> 'queue' THEN
    PERFORM hapax.reject_argument('queue_limit', 'is only allowed with on_conflict queue');
  ELSIF queue_limit NOT BETWEEN 1 AND 10000 THEN
    PERFORM hapax.reject_argument('queue_limit', format('must be between 1 and 10000 (was %s)', queue_limit));
  ELSIF on_key_mismatch IS NULL OR on_key_mismatch NOT IN ('error', 'return_existing', 'restart_failed') THEN
    PERFORM hapax.reject_argument('on_key_mismatch',
      format('must be error, return_existing or restart_failed (was %s)', on_key_mismatch));
  ELSIF on_key_mismatch = 'restart_failed' AND coalesce(idempotency_key, '') = '' THEN
    PERFORM hapax.reject_argument('idempotency_key', 'is required for on_key_mismatch restart_failed');
  ELSIF NOT isfinite(start_at) OR start_at > clock_timestamp() + interval '8760 hours' THEN
    PERFORM hapax.reject_argument('start_at', 'is more than 365 days ahead or infinite');
  END IF;
  IF on_conflict = 'queue' OR on_key_mismatch = 'restart_failed' THEN
    -- servers that do not know turns would fail the intent, or not take the key
    PERFORM hapax.require_feature(2);
  END IF;
  IF expected_owner <> '' THEN
    owner := hapax.intent_run('expected_owner', expected_owner);
  END IF;
  IF labels IS NOT NULL THEN
    IF jsonb_typeof(labels) <> 'object' THEN
      PERFORM hapax.reject_argument('labels', 'must be a JSON object');
    END IF;
    SELECT array_agg(hapax.required_intent_name('labels', l.key)),
        array_agg(coalesce(hapax.intent_name('labels', l.value #>> '{}'), ''))
      INTO names, vals FROM jsonb_each(labels) l;
    IF cardinality(names) > 32 THEN
      PERFORM hapax.reject_argument('labels', format('has %s labels; at most 32 are allowed', cardinality(names)));
    ELSIF EXISTS (SELECT FROM jsonb_each(labels) l WHERE jsonb_typeof(l.value) <> 'string') THEN
      PERFORM hapax.reject_argument('labels', 'has a value that is no string');
    END IF;
  END IF;
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, definition, version, input, key,
      key_retention, allows_mismatch, restarts_failed, token, token_retention, on_conflict, queue_limit, expected_owner,
      signal_id, signal_type, signal_payload, start_at, label_names, label_values)
    VALUES (own, id, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 1,
      octet_length(input_text) + coalesce(octet_length(signal_text), 0),
      hapax.required_intent_name('definition', definition), hapax.intent_name('version', version), input_text,
      hapax.intent_hash(hapax.intent_name('idempotency_key', idempotency_key)),
      hapax.intent_retention('key_retention', key_retention), on_key_mismatch = 'return_existing',
      nullif(on_key_mismatch = 'restart_failed', false),
      hapax.intent_hash('hook/' || hapax.intent_name('token', token)),
      hapax.intent_retention('token_retention', token_retention), on_conflict, queue_limit, owner,
      CASE WHEN has_signal THEN coalesce(hapax.intent_name('signal_id', signal_id), hapax.print_id('run', id)) END,
      CASE WHEN has_signal THEN coalesce(hapax.intent_name('signal_type', signal_type), '') END,
      signal_text, start_at, names, vals);
  RETURN hapax.print_id('run', id);
END
$$;

-- Starts a run if this transaction commits. Returns its id, which is also the ticket. As StartRun; a key or a token
-- that belongs to another run is no error here: hapax.ticket tells. What is surely valid and allowed is posted at once.
CREATE FUNCTION start_run(
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
  own text;
  id uuid;
  number bigint;
  room bigint;
  input_text text;
BEGIN
  IF num_nonnulls(version, key_retention, token_retention, expected_owner, signal_type, signal_payload, signal_id,
        start_at, labels, queue_limit) = 0
      AND on_conflict = 'reject' AND on_key_mismatch = 'error' AND definition <> ''
      -- not more than the most characters of one of them
      AND octet_length(concat(definition, idempotency_key, token)) <= 255
      AND concat(definition, idempotency_key, token) !~ '[\x01-\x1f\x7f-\x9f]' THEN
    -- as may_post and next_intent; without a grant there is no row
    SELECT g.workspace, hapax.draw_intent_id(),
        least((SELECT hapax.inbox_limit() + c.counted_to - c.posted FROM hapax.inbox_count c),
          hapax.inbox_limit() / 2 + s.counted_to - s.posted),
        coalesce(input, '{}')::text
      INTO own, id, room, input_text
      FROM hapax.sql_grant g JOIN hapax.inbox_share s ON s.workspace = g.workspace
      WHERE g.workspace = coalesce(nullif(start_run.workspace, ''), 'default') AND 'start_run' = ANY (g.verbs)
        AND g.role_oid = to_regrole(quote_ident(g.role)) AND pg_has_role(hapax.caller(), g.role_oid, 'USAGE')
        AND hapax.is_here(g.workspace)
      LIMIT 1;
    -- not in the statement above: a sequence belongs to a node, and the statement may be sent to another one
    number := CASE WHEN room IS NOT NULL THEN nextval('hapax.inbox_seq') END;
    IF number <= room THEN
      -- the shortest text that is nested too deeply has 65 brackets and their counterparts
      IF octet_length(input_text) >= 130 THEN
        input_text := hapax.intent_payload('input', input);
      END IF;
      INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, definition, input, key, token,
          on_conflict)
        VALUES (own, id, number, clock_timestamp(), hapax.caller(), 1, octet_length(input_text), definition, input_text,
          hapax.intent_hash(nullif(idempotency_key, '')), hapax.intent_hash('hook/' || nullif(token, '')), 'reject');
      RETURN hapax.print_id('run', id);
    END IF;
  END IF;
  RETURN hapax.start_checked_run(workspace, definition, input, version, idempotency_key, key_retention, on_key_mismatch,
    token, token_retention, on_conflict, expected_owner, signal_type, signal_payload, signal_id, start_at, labels,
    queue_limit);
END
$$;

REVOKE EXECUTE ON FUNCTION start_run, start_checked_run FROM PUBLIC;
-- in this transaction, so that no caller finds the function without its grant
SELECT hapax.apply_sql_grants();
