-- The functions that post intents refuse a workspace that is in another cell: no server would take the intent here. The
-- common calls check it with the grant, and leave the error to the functions that check all arguments.

-- Checks that the caller may post it, and that the workspace is in this cell; returns the workspace.
CREATE OR REPLACE FUNCTION intent_workspace(workspace text, verb text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  own text := coalesce(nullif(workspace, ''), 'default');
BEGIN
  IF NOT hapax.may_post(own, verb) THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('role %I may not %s in workspace %s', hapax.caller(), verb, own),
      HINT = format('Run: hapax sql grant %s --workspace=%s', hapax.caller(), own);
  END IF;
  IF EXISTS (SELECT FROM hapax.moved m WHERE m.workspace = own) THEN
    RAISE EXCEPTION USING ERRCODE = 'HX006',
      MESSAGE = format('workspace %s is in another cell', own),
      HINT = 'Connect to the database of that cell: `hapax cell list` shows them.';
  END IF;
  RETURN own;
END
$$;

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
        AND NOT EXISTS (SELECT FROM hapax.moved m WHERE m.workspace = g.workspace)
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

CREATE OR REPLACE FUNCTION signal_run(workspace text, run_id text, type text, payload jsonb DEFAULT NULL,
  signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  own text;
  id uuid;
  number bigint;
  room bigint;
  payload_text text;
  run uuid;
  ticket text;
BEGIN
  -- not more than the most characters of one of them
  IF octet_length(concat(type, signal_id)) <= 255 AND concat(type, signal_id) !~ '[\x01-\x1f\x7f-\x9f]' THEN
    -- as may_post and next_intent; without a grant there is no row
    SELECT g.workspace, hapax.draw_intent_id(),
        least((SELECT hapax.inbox_limit() + c.counted_to - c.posted FROM hapax.inbox_count c),
          hapax.inbox_limit() / 2 + s.counted_to - s.posted),
        payload::text, hapax.parse_id('run', signal_run.run_id)
      INTO own, id, room, payload_text, run
      FROM hapax.sql_grant g JOIN hapax.inbox_share s ON s.workspace = g.workspace
      WHERE g.workspace = coalesce(nullif(signal_run.workspace, ''), 'default') AND 'signal_run' = ANY (g.verbs)
        AND g.role_oid = to_regrole(quote_ident(g.role)) AND pg_has_role(hapax.caller(), g.role_oid, 'USAGE')
        AND NOT EXISTS (SELECT FROM hapax.moved m WHERE m.workspace = g.workspace)
      LIMIT 1;
    -- not in the statement above: a sequence belongs to a node, and the statement may be sent to another one
    number := CASE WHEN room IS NOT NULL THEN nextval('hapax.inbox_seq') END;
    IF number <= room AND run IS NOT NULL THEN
      -- the shortest text that is nested too deeply has 65 brackets and their counterparts
      IF octet_length(payload_text) >= 130 THEN
        payload_text := hapax.intent_payload('payload', payload);
      END IF;
      ticket := hapax.print_id('intent', id);
      INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, run_id, signal_id, signal_type,
          signal_payload)
        VALUES (own, id, number, clock_timestamp(), hapax.caller(), 2, coalesce(octet_length(payload_text), 0), run,
          coalesce(nullif(signal_id, ''), ticket), coalesce(type, ''), payload_text);
      RETURN ticket;
    END IF;
  END IF;
  RETURN hapax.signal_checked_run(workspace, run_id, type, payload, signal_id);
END
$$;

CREATE OR REPLACE FUNCTION signal_hook(workspace text, token text, type text, payload jsonb DEFAULT NULL,
  signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  own text;
  id uuid;
  number bigint;
  room bigint;
  payload_text text;
  ticket text;
BEGIN
  IF token <> '' AND octet_length(concat(token, type, signal_id)) <= 255
      AND concat(token, type, signal_id) !~ '[\x01-\x1f\x7f-\x9f]' THEN
    SELECT g.workspace, hapax.draw_intent_id(),
        least((SELECT hapax.inbox_limit() + c.counted_to - c.posted FROM hapax.inbox_count c),
          hapax.inbox_limit() / 2 + s.counted_to - s.posted),
        payload::text
      INTO own, id, room, payload_text
      FROM hapax.sql_grant g JOIN hapax.inbox_share s ON s.workspace = g.workspace
      WHERE g.workspace = coalesce(nullif(signal_hook.workspace, ''), 'default') AND 'signal_hook' = ANY (g.verbs)
        AND g.role_oid = to_regrole(quote_ident(g.role)) AND pg_has_role(hapax.caller(), g.role_oid, 'USAGE')
        AND NOT EXISTS (SELECT FROM hapax.moved m WHERE m.workspace = g.workspace)
      LIMIT 1;
    -- not in the statement above: a sequence belongs to a node, and the statement may be sent to another one
    number := CASE WHEN room IS NOT NULL THEN nextval('hapax.inbox_seq') END;
    IF number <= room THEN
      IF octet_length(payload_text) >= 130 THEN
        payload_text := hapax.intent_payload('payload', payload);
      END IF;
      ticket := hapax.print_id('intent', id);
      INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, token, signal_id, signal_type,
          signal_payload)
        VALUES (own, id, number, clock_timestamp(), hapax.caller(), 3, coalesce(octet_length(payload_text), 0),
          hapax.intent_hash('hook/' || token), coalesce(nullif(signal_id, ''), ticket), coalesce(type, ''),
          payload_text);
      RETURN ticket;
    END IF;
  END IF;
  RETURN hapax.signal_checked_hook(workspace, token, type, payload, signal_id);
END
$$;
