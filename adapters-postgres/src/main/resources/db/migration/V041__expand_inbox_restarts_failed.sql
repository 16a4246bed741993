-- of a start: a run that failed or was cancelled loses its key to it; null = it does not
ALTER TABLE inbox ADD COLUMN restarts_failed boolean;

-- Checks all arguments, and posts. Has the rights and the search path of start_run, which calls it.
CREATE OR REPLACE FUNCTION start_checked_run(
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
  ELSIF on_key_mismatch IS NULL OR on_key_mismatch NOT IN ('error', 'return_existing', 'restart_failed') THEN
    PERFORM hapax.reject_argument('on_key_mismatch',
      format('must be error, return_existing or restart_failed (was %s)', on_key_mismatch));
  ELSIF on_key_mismatch = 'restart_failed' AND coalesce(idempotency_key, '') = '' THEN
    PERFORM hapax.reject_argument('idempotency_key', 'is required for on_key_mismatch restart_failed');
  ELSIF NOT isfinite(start_at) OR start_at > clock_timestamp() + interval '8760 hours' THEN
    PERFORM hapax.reject_argument('start_at', 'is more than 365 days ahead or infinite');
  END IF;
  IF on_key_mismatch = 'restart_failed' THEN
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
      key_retention, allows_mismatch, restarts_failed, token, token_retention, on_conflict, expected_owner, signal_id, signal_type,
      signal_payload, start_at, label_names, label_values)
    VALUES (own, id, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 1,
      octet_length(input_text) + coalesce(octet_length(signal_text), 0),
      hapax.required_intent_name('definition', definition), hapax.intent_name('version', version), input_text,
      hapax.intent_hash(hapax.intent_name('idempotency_key', idempotency_key)),
      hapax.intent_retention('key_retention', key_retention), on_key_mismatch = 'return_existing',
      nullif(on_key_mismatch = 'restart_failed', false),
      hapax.intent_hash('hook/' || hapax.intent_name('token', token)),
      hapax.intent_retention('token_retention', token_retention), on_conflict, owner,
      CASE WHEN has_signal THEN coalesce(hapax.intent_name('signal_id', signal_id), hapax.print_id('run', id)) END,
      CASE WHEN has_signal THEN coalesce(hapax.intent_name('signal_type', signal_type), '') END,
      signal_text, start_at, names, vals);
  RETURN hapax.print_id('run', id);
END
$$;
