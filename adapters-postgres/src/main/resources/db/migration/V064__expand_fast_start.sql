-- What most calls of start_run pay. An expression that is not reached costs nothing, so the common call has few of
-- them, and all others are checked as before.

-- It was never immutable, and PostgreSQL does not inline a function that claims to be.
ALTER FUNCTION intent_hash(text) STABLE;

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
  labels jsonb
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
  IF on_conflict IS NULL OR on_conflict NOT IN ('reject', 'use_existing', 'signal_existing', 'supersede') THEN
    PERFORM hapax.reject_argument('on_conflict',
      format('must be reject, use_existing, signal_existing or supersede (was %s)', on_conflict));
  ELSIF on_conflict <> 'reject' AND coalesce(token, '') = '' THEN
    PERFORM hapax.reject_argument('token', format('is required for on_conflict %s', on_conflict));
  ELSIF on_conflict = 'signal_existing' AND NOT has_signal THEN
    PERFORM hapax.reject_argument('signal_type', 'is required for on_conflict signal_existing');
  ELSIF expected_owner <> '' AND on_conflict <> 'supersede' THEN
    PERFORM hapax.reject_argument('expected_owner', 'is only allowed with on_conflict supersede');
  ELSIF on_key_mismatch IS NULL OR on_key_mismatch NOT IN ('error', 'return_existing') THEN
    PERFORM hapax.reject_argument('on_key_mismatch',
      format('must be error or return_existing (was %s)', on_key_mismatch));
  ELSIF NOT isfinite(start_at) OR start_at > clock_timestamp() + interval '365 days' THEN
    PERFORM hapax.reject_argument('start_at', 'is more than 365 days ahead or infinite');
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
      key_retention, allows_mismatch, token, token_retention, on_conflict, expected_owner, signal_id, signal_type,
      signal_payload, start_at, label_names, label_values)
    VALUES (own, id, hapax.next_intent(), clock_timestamp(), session_user, 1,
      octet_length(input_text) + coalesce(octet_length(signal_text), 0),
      hapax.required_intent_name('definition', definition), hapax.intent_name('version', version), input_text,
      hapax.intent_hash(hapax.intent_name('idempotency_key', idempotency_key)),
      hapax.intent_retention('key_retention', key_retention), on_key_mismatch = 'return_existing',
      hapax.intent_hash('hook/' || hapax.intent_name('token', token)),
      hapax.intent_retention('token_retention', token_retention), on_conflict, owner,
      CASE WHEN has_signal THEN coalesce(hapax.intent_name('signal_id', signal_id), hapax.print_id('run', id)) END,
      CASE WHEN has_signal THEN coalesce(hapax.intent_name('signal_type', signal_type), '') END,
      signal_text, start_at, names, vals);
  RETURN hapax.print_id('run', id);
END
$$;

REVOKE EXECUTE ON FUNCTION start_checked_run FROM PUBLIC;

-- Starts a run if this transaction commits. Returns its id, which is also the ticket. As StartRun; a key or a token
-- that belongs to another run is no error here: hapax.ticket tells. What is surely valid and allowed is posted at once.
CREATE OR REPLACE FUNCTION start_run(
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
  labels jsonb DEFAULT NULL
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  own text;
  id uuid;
  number bigint;
  room bigint;
  input_text text;
BEGIN
  IF num_nonnulls(version, key_retention, token_retention, expected_owner, signal_type, signal_payload, signal_id,
        start_at, labels) = 0
      AND on_conflict = 'reject' AND on_key_mismatch = 'error' AND definition <> ''
      -- not more than the most characters of one of them
      AND octet_length(concat(definition, idempotency_key, token)) <= 255
      AND concat(definition, idempotency_key, token) !~ '[\x01-\x1f\x7f-\x9f]' THEN
    -- as may_post and next_intent; without a grant there is no row
    SELECT g.workspace, hapax.draw_intent_id(), nextval('hapax.inbox_seq'), 1000000 + c.counted_to - c.posted,
        coalesce(input, '{}')::text
      INTO own, id, number, room, input_text
      FROM hapax.sql_grant g, hapax.inbox_count c
      WHERE g.workspace = coalesce(nullif(start_run.workspace, ''), 'default') AND 'start_run' = ANY (g.verbs)
        AND pg_has_role(session_user, to_regrole(quote_ident(g.role)), 'USAGE')
      LIMIT 1;
    IF number <= room THEN
      -- the shortest text that is nested too deeply has 65 brackets and their counterparts
      IF octet_length(input_text) >= 130 THEN
        input_text := hapax.intent_payload('input', input);
      END IF;
      INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, definition, input, key, token,
          on_conflict)
        VALUES (own, id, number, clock_timestamp(), session_user, 1, octet_length(input_text), definition, input_text,
          hapax.intent_hash(nullif(idempotency_key, '')), hapax.intent_hash('hook/' || nullif(token, '')), 'reject');
      RETURN hapax.print_id('run', id);
    END IF;
  END IF;
  RETURN hapax.start_checked_run(workspace, definition, input, version, idempotency_key, key_retention, on_key_mismatch,
    token, token_retention, on_conflict, expected_owner, signal_type, signal_payload, signal_id, start_at, labels);
END
$$;
