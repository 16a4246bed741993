-- What most signals pay: as V064 for starts. The common call has few expressions, and all others are checked as before.

-- Parses an id that the API printed; null if it is none with this prefix. A loop has few expressions.
CREATE OR REPLACE FUNCTION parse_id(prefix text, id text) RETURNS uuid
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
DECLARE
  alphabet CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  digits text := substr(id, char_length(prefix) + 2);
  bits varbit := B'';
BEGIN
  IF id !~ ('^' || prefix || '_[0-7][0-9a-hjkmnp-tv-z]{25}$') THEN
    RETURN NULL;
  END IF;
  FOR i IN 1..26 LOOP
    bits := bits || (strpos(alphabet, substr(digits, i, 1)) - 1)::bit(5);
  END LOOP;
  -- the first two of 130 bits are 0; bit_send has the number of bits in front
  RETURN encode(substring(bit_send(substring(bits FROM 3)) FROM 5), 'hex')::uuid;
END
$$;

-- Checks all arguments, and posts. Has the rights and the search path of signal_run, which calls it.
CREATE FUNCTION signal_checked_run(workspace text, run_id text, type text, payload jsonb, signal_id text) RETURNS text
  LANGUAGE plpgsql AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'signal_run');
  id uuid := hapax.draw_intent_id();
  ticket text := hapax.print_id('intent', id);
  payload_text text := hapax.intent_payload('payload', payload);
BEGIN
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, run_id, signal_id, signal_type,
      signal_payload)
    VALUES (own, id, hapax.next_intent(), clock_timestamp(), session_user, 2, coalesce(octet_length(payload_text), 0),
      hapax.intent_run('run_id', run_id), coalesce(hapax.intent_name('signal_id', signal_id), ticket),
      coalesce(hapax.intent_name('type', type), ''), payload_text);
  RETURN ticket;
END
$$;

-- As signal_checked_run, for signal_hook.
CREATE FUNCTION signal_checked_hook(workspace text, token text, type text, payload jsonb, signal_id text) RETURNS text
  LANGUAGE plpgsql AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'signal_hook');
  id uuid := hapax.draw_intent_id();
  ticket text := hapax.print_id('intent', id);
  payload_text text := hapax.intent_payload('payload', payload);
BEGIN
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, token, signal_id, signal_type,
      signal_payload)
    VALUES (own, id, hapax.next_intent(), clock_timestamp(), session_user, 3, coalesce(octet_length(payload_text), 0),
      hapax.intent_hash('hook/' || hapax.required_intent_name('token', token)),
      coalesce(hapax.intent_name('signal_id', signal_id), ticket), coalesce(hapax.intent_name('type', type), ''),
      payload_text);
  RETURN ticket;
END
$$;

REVOKE EXECUTE ON FUNCTION signal_checked_run FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION signal_checked_hook FROM PUBLIC;

-- Sends a signal to a run if this transaction commits, and returns the ticket. As SignalRun; without a signal_id the
-- ticket is the id. What is surely valid and allowed is posted at once.
CREATE OR REPLACE FUNCTION signal_run(workspace text, run_id text, type text, payload jsonb DEFAULT NULL,
  signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
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
    SELECT g.workspace, hapax.draw_intent_id(), nextval('hapax.inbox_seq'), 1000000 + c.counted_to - c.posted,
        payload::text, hapax.parse_id('run', signal_run.run_id)
      INTO own, id, number, room, payload_text, run
      FROM hapax.sql_grant g, hapax.inbox_count c
      WHERE g.workspace = coalesce(nullif(signal_run.workspace, ''), 'default') AND 'signal_run' = ANY (g.verbs)
        AND pg_has_role(session_user, to_regrole(quote_ident(g.role)), 'USAGE')
      LIMIT 1;
    IF number <= room AND run IS NOT NULL THEN
      -- the shortest text that is nested too deeply has 65 brackets and their counterparts
      IF octet_length(payload_text) >= 130 THEN
        payload_text := hapax.intent_payload('payload', payload);
      END IF;
      ticket := hapax.print_id('intent', id);
      INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, run_id, signal_id, signal_type,
          signal_payload)
        VALUES (own, id, number, clock_timestamp(), session_user, 2, coalesce(octet_length(payload_text), 0), run,
          coalesce(nullif(signal_id, ''), ticket), coalesce(type, ''), payload_text);
      RETURN ticket;
    END IF;
  END IF;
  RETURN hapax.signal_checked_run(workspace, run_id, type, payload, signal_id);
END
$$;

-- Sends a signal to the run that owns a token if this transaction commits, and returns the ticket. As SignalHook.
CREATE OR REPLACE FUNCTION signal_hook(workspace text, token text, type text, payload jsonb DEFAULT NULL,
  signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
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
    SELECT g.workspace, hapax.draw_intent_id(), nextval('hapax.inbox_seq'), 1000000 + c.counted_to - c.posted,
        payload::text
      INTO own, id, number, room, payload_text
      FROM hapax.sql_grant g, hapax.inbox_count c
      WHERE g.workspace = coalesce(nullif(signal_hook.workspace, ''), 'default') AND 'signal_hook' = ANY (g.verbs)
        AND pg_has_role(session_user, to_regrole(quote_ident(g.role)), 'USAGE')
      LIMIT 1;
    IF number <= room THEN
      IF octet_length(payload_text) >= 130 THEN
        payload_text := hapax.intent_payload('payload', payload);
      END IF;
      ticket := hapax.print_id('intent', id);
      INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, token, signal_id, signal_type,
          signal_payload)
        VALUES (own, id, number, clock_timestamp(), session_user, 3, coalesce(octet_length(payload_text), 0),
          hapax.intent_hash('hook/' || token), coalesce(nullif(signal_id, ''), ticket), coalesce(type, ''),
          payload_text);
      RETURN ticket;
    END IF;
  END IF;
  RETURN hapax.signal_checked_hook(workspace, token, type, payload, signal_id);
END
$$;
