-- The functions by which applications post intents in their own transactions. They only insert: no function waits for
-- another transaction, and none fails for a duplicate or an owned token, which a server decides. Parameters are only
-- appended. Each runs with the rights of the owner and a fixed search path; its caller needs a row of sql_grant. PL/pgSQL
-- reads a function in the settings of its caller: with standard_conforming_strings off, a backslash in a string would be
-- an escape. Most calls are the only ones of their transaction, so what counts is how many expressions PL/pgSQL has to
-- prepare: the common call has few of them, and what is not surely valid and allowed is checked by another function.

-- Who posts is the role in force: the one that SET ROLE chose, or else the session user. Applications with one login and
-- a role for each tenant choose it for each request. SECURITY DEFINER hides it in current_user, but not here. A session
-- can set only a role that it may assume.
CREATE FUNCTION caller() RETURNS name LANGUAGE sql STABLE AS
$$ SELECT coalesce(nullif(current_setting('role'), 'none')::name, session_user) $$;

-- Raises HX001: an argument is invalid.
CREATE FUNCTION reject_argument(argument text, rule text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'HX001', MESSAGE = argument || ' ' || rule;
END
$$;

-- A name as the API allows it; null if it is null or empty.
CREATE FUNCTION intent_name(argument text, value text) RETURNS text LANGUAGE plpgsql STRICT AS
$$
BEGIN
  IF char_length(value) > 255 THEN
    PERFORM hapax.reject_argument(argument,
      format('has %s characters; at most 255 are allowed', char_length(value)));
  ELSIF value ~ '[\x01-\x1f\x7f-\x9f]' THEN
    PERFORM hapax.reject_argument(argument, 'has a control character');
  END IF;
  RETURN nullif(value, '');
END
$$;

CREATE FUNCTION required_intent_name(argument text, value text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
  IF coalesce(value, '') = '' THEN
    PERFORM hapax.reject_argument(argument, 'is required');
  END IF;
  RETURN hapax.intent_name(argument, value);
END
$$;

-- The text of a payload.
CREATE FUNCTION intent_payload(argument text, value jsonb) RETURNS text LANGUAGE plpgsql STRICT AS
$$
DECLARE
  payload text := value::text;
BEGIN
  IF octet_length(payload) > 262144 THEN
    PERFORM hapax.reject_argument(argument,
      format('has %s bytes; at most 262144 are allowed', octet_length(payload)));
  ELSIF octet_length(payload) > 64
      AND value @? 'strict $.**{64} ? (@.type() == "object" || @.type() == "array")' THEN
    PERFORM hapax.reject_argument(argument, 'is nested deeper than 64');
  END IF;
  RETURN payload;
END
$$;

-- A retention in microseconds; that of a key is more than 0. Intervals compare a year as 360 days, and convert it to
-- 365.25, so the microseconds are compared.
CREATE FUNCTION intent_retention(argument text, value interval) RETURNS bigint LANGUAGE plpgsql STRICT AS
$$
DECLARE
  micros numeric := extract(epoch FROM value) * 1000000;
BEGIN
  IF argument = 'key_retention' AND micros = 0 THEN
    PERFORM hapax.reject_argument(argument, 'must be more than 0');
  ELSIF micros < 0 OR micros > 31536000000000 THEN
    PERFORM hapax.reject_argument(argument, format('must be between 0 and 365 days (was %s)', value));
  END IF;
  RETURN micros::bigint;
END
$$;

-- Prints an id as the API does, such as run_01k…. A loop has few expressions.
CREATE FUNCTION print_id(prefix text, id uuid) RETURNS text
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
DECLARE
  alphabet CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  bits CONSTANT varbit := B'00' || ('x' || replace(id::text, '-', ''))::bit(128);
  printed text := prefix || '_';
BEGIN
  FOR i IN 0..25 LOOP
    printed := printed || substr(alphabet, substring(bits FROM 5 * i + 1 FOR 5)::integer + 1, 1);
  END LOOP;
  RETURN printed;
END
$$;

-- Parses an id that the API printed; null if it is none with this prefix. A loop has few expressions.
CREATE FUNCTION parse_id(prefix text, id text) RETURNS uuid
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

CREATE FUNCTION intent_run(argument text, value text) RETURNS uuid LANGUAGE plpgsql AS
$$
DECLARE
  run uuid := hapax.parse_id('run', value);
BEGIN
  IF run IS NULL AND coalesce(value, '') = '' THEN
    PERFORM hapax.reject_argument(argument, 'is required');
  ELSIF run IS NULL THEN
    PERFORM hapax.reject_argument(argument, 'must be the id of a run, such as run_01k…');
  END IF;
  RETURN run;
END
$$;

-- The first 128 bits of SHA-256, as servers condense keys and tokens.
CREATE FUNCTION intent_hash(value text) RETURNS uuid LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT encode(substring(sha256(convert_to(value, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid $$;

-- A UUID of version 7.
CREATE FUNCTION draw_intent_id() RETURNS uuid LANGUAGE sql VOLATILE AS
$$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid
$$;

-- Whether the caller may post it: it, or a role whose rights it has, was granted the verb; null = any verb. A
-- role that was dropped has no oid. In PL/pgSQL, which keeps the plan: a SQL function would be planned in each
-- transaction.
CREATE FUNCTION may_post(workspace text, verb text) RETURNS boolean LANGUAGE plpgsql STABLE AS
$$
BEGIN
  RETURN EXISTS (
    SELECT FROM hapax.sql_grant g
    WHERE g.workspace = may_post.workspace AND (may_post.verb IS NULL OR may_post.verb = ANY (g.verbs))
      AND g.role_oid = to_regrole(quote_ident(g.role)) AND pg_has_role(hapax.caller(), g.role_oid, 'USAGE'));
END
$$;

-- Checks that the caller may post it, and that the workspace is in this cell; returns the workspace.
CREATE FUNCTION intent_workspace(workspace text, verb text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  own text := coalesce(nullif(workspace, ''), 'default');
BEGIN
  IF NOT hapax.may_post(own, verb) THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('role %I may not %s in workspace %s', hapax.caller(), verb, own),
      HINT = format('Run: hapax sql grant %s --workspace=%s', hapax.caller(), own);
  END IF;
  -- no server would take the intent here
  IF NOT hapax.is_here(own) THEN
    RAISE EXCEPTION USING ERRCODE = 'HX006',
      MESSAGE = format('workspace %s is in another cell', own),
      HINT = 'Connect to the database of that cell: `hapax cell list` shows them.';
  END IF;
  RETURN own;
END
$$;

-- The most intents of all workspaces; one of them may have half.
CREATE FUNCTION inbox_limit() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000000::bigint;

-- The number of the next intent of a workspace. Counts only when the inbox, or its share, may be full since
-- the last count.
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
  ELSIF NOT isfinite(start_at) OR start_at > clock_timestamp() + interval '8760 hours' THEN
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
    VALUES (own, id, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 1,
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
  labels jsonb DEFAULT NULL
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
        start_at, labels) = 0
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
    token, token_retention, on_conflict, expected_owner, signal_type, signal_payload, signal_id, start_at, labels);
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
    VALUES (own, id, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 2, coalesce(octet_length(payload_text), 0),
      hapax.intent_run('run_id', run_id), coalesce(hapax.intent_name('signal_id', signal_id), ticket),
      coalesce(hapax.intent_name('type', type), ''), payload_text);
  RETURN ticket;
END
$$;

-- Sends a signal to a run if this transaction commits, and returns the ticket. As SignalRun; without a signal_id the
-- ticket is the id. What is surely valid and allowed is posted at once.
CREATE FUNCTION signal_run(workspace text, run_id text, type text, payload jsonb DEFAULT NULL,
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
        AND hapax.is_here(g.workspace)
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
    VALUES (own, id, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 3, coalesce(octet_length(payload_text), 0),
      hapax.intent_hash('hook/' || hapax.required_intent_name('token', token)),
      coalesce(hapax.intent_name('signal_id', signal_id), ticket), coalesce(hapax.intent_name('type', type), ''),
      payload_text);
  RETURN ticket;
END
$$;

-- Sends a signal to the run that owns a token if this transaction commits, and returns the ticket. As SignalHook.
CREATE FUNCTION signal_hook(workspace text, token text, type text, payload jsonb DEFAULT NULL,
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
        AND hapax.is_here(g.workspace)
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

-- Cancels a run if this transaction commits, and returns the ticket. As CancelRun.
CREATE FUNCTION cancel_run(workspace text, run_id text, reason text DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'cancel_run');
  id uuid := hapax.draw_intent_id();
BEGIN
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, run_id, reason)
    VALUES (own, id, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 4, 0, hapax.intent_run('run_id', run_id),
      coalesce(hapax.intent_name('reason', reason), ''));
  RETURN hapax.print_id('intent', id);
END
$$;

-- What became of an intent; no row = not committed, rolled back, or taken more than seven days ago. State: posted,
-- taken or failed.
CREATE FUNCTION ticket(workspace text, ticket text)
  RETURNS TABLE (state text, disposition text, run_id text, reason text, taken_at timestamptz)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  own text := coalesce(nullif(workspace, ''), 'default');
  intent uuid := coalesce(hapax.parse_id('run', ticket), hapax.parse_id('intent', ticket));
BEGIN
  IF NOT hapax.may_post(own, NULL) THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('role %I has no grant in workspace %s', hapax.caller(), own),
      HINT = format('Run: hapax sql grant %s --workspace=%s', hapax.caller(), own);
  ELSIF intent IS NULL THEN
    PERFORM hapax.reject_argument('ticket', 'must be what a function returned, such as run_01k… or intent_01k…');
  END IF;
  RETURN QUERY
    SELECT 'posted'::text, NULL::text, NULL::text, NULL::text, NULL::timestamptz
    FROM hapax.inbox i WHERE i.workspace = own AND i.id = intent
    UNION ALL
    SELECT CASE WHEN o.reason IS NULL THEN 'taken' ELSE 'failed' END, o.disposition::text,
      hapax.print_id('run', o.run_id), o.reason::text, o.taken_at
    FROM hapax.intent_outcome o WHERE o.workspace = own AND o.id = intent;
END
$$;
