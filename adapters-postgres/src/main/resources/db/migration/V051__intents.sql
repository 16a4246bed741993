-- The functions by which applications post intents in their own transactions. They only insert: no function waits for
-- another transaction, and none fails for a duplicate or an owned token, which a server decides. Parameters are only
-- appended. Each runs with the rights of the owner and a fixed search path; its caller needs a row of sql_grant.

-- How many rows there were when the sequence had a value: one row, which a function that posts counts anew when the
-- inbox may be full.
CREATE TABLE inbox_count (counted_to bigint NOT NULL, posted bigint NOT NULL);
INSERT INTO inbox_count VALUES (0, 0);

-- Raises HX001: an argument is invalid.
CREATE FUNCTION reject_argument(argument text, rule text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'HX001', MESSAGE = argument || ' ' || rule;
END
$$;

-- A name as the API allows it; null if it is null or empty.
CREATE FUNCTION intent_name(argument text, value text) RETURNS text LANGUAGE plpgsql AS
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
CREATE FUNCTION intent_payload(argument text, value jsonb) RETURNS text LANGUAGE plpgsql AS
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

-- A retention in microseconds; that of a key is more than 0.
CREATE FUNCTION intent_retention(argument text, value interval) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
  IF argument = 'key_retention' AND value = interval '0' THEN
    PERFORM hapax.reject_argument(argument, 'must be more than 0');
  ELSIF value < interval '0' OR value > interval '365 days' THEN
    PERFORM hapax.reject_argument(argument, format('must be between 0 and 365 days (was %s)', value));
  END IF;
  RETURN (extract(epoch FROM value) * 1000000)::bigint;
END
$$;

-- Prints an id as the API does, such as run_01k….
CREATE FUNCTION print_id(prefix text, id uuid) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
DECLARE
  alphabet CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  bits CONSTANT varbit := B'00' || ('x' || replace(id::text, '-', ''))::bit(128);
BEGIN
  -- a loop would cost four times as much
  RETURN prefix || '_' ||
    substr(alphabet, substring(bits FROM 1 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 6 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 11 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 16 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 21 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 26 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 31 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 36 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 41 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 46 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 51 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 56 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 61 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 66 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 71 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 76 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 81 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 86 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 91 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 96 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 101 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 106 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 111 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 116 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 121 FOR 5)::integer + 1, 1) ||
    substr(alphabet, substring(bits FROM 126 FOR 5)::integer + 1, 1);
END
$$;

-- Parses an id that the API printed; null if it is none with this prefix. In PL/pgSQL, which keeps the plan.
CREATE FUNCTION parse_id(prefix text, id text) RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
  IF id !~ ('^' || prefix || '_[0-7][0-9a-hjkmnp-tv-z]{25}$') THEN
    RETURN NULL;
  END IF;
  RETURN (
    SELECT string_agg(to_hex(substring(bits FROM 4 * i + 1 FOR 4)::bit(4)::integer), '' ORDER BY i)::uuid
    FROM (
      SELECT substr(string_agg(
          (strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(id, char_length(prefix) + 2 + n, 1)) - 1)::bit(5)::text,
          '' ORDER BY n), 3) AS bits
      FROM generate_series(0, 25) n) b, generate_series(0, 31) i);
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
CREATE FUNCTION intent_hash(value text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT encode(substring(sha256(convert_to(value, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid $$;

-- A UUID of version 7.
CREATE FUNCTION draw_intent_id() RETURNS uuid LANGUAGE sql VOLATILE AS
$$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid
$$;

-- Whether the session user may post it: it, or a role whose rights it has, was granted the verb; null = any verb. In
-- PL/pgSQL, which keeps the plan: a SQL function would be planned in each transaction.
CREATE FUNCTION may_post(workspace text, verb text) RETURNS boolean LANGUAGE plpgsql STABLE AS
$$
BEGIN
  RETURN EXISTS (
    SELECT FROM hapax.sql_grant g JOIN pg_roles r ON r.rolname = g.role
    WHERE g.workspace = may_post.workspace AND (may_post.verb IS NULL OR may_post.verb = ANY (g.verbs))
      AND pg_has_role(session_user, r.oid, 'USAGE'));
END
$$;

-- Checks that the session user may post it, and that there is room; returns the workspace.
CREATE FUNCTION intent_workspace(workspace text, verb text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  own text := coalesce(nullif(workspace, ''), 'default');
BEGIN
  IF NOT hapax.may_post(own, verb) THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('role %I may not %s in workspace %s', session_user, verb, own),
      HINT = format('Run: hapax sql grant %s --workspace=%s', session_user, own);
  END IF;
  RETURN own;
END
$$;

-- The number of the next intent. Counts the inbox only when it may be full since the last count.
CREATE FUNCTION next_intent() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
  most CONSTANT bigint := 1000000;
  number bigint := nextval('hapax.inbox_seq');
  found bigint;
BEGIN
  IF (SELECT posted + number - counted_to FROM hapax.inbox_count) > most THEN
    SELECT count(*) INTO found FROM (SELECT FROM hapax.inbox LIMIT most) i;
    IF found >= most THEN
      RAISE EXCEPTION USING ERRCODE = 'HX005',
        MESSAGE = format('the inbox is full: it has %s intents that no server has taken', most),
        HINT = 'Check that a Hapax server runs on this database.';
    END IF;
    -- another session may count: no session waits
    UPDATE hapax.inbox_count SET posted = found, counted_to = number
      WHERE ctid = (SELECT ctid FROM hapax.inbox_count FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN number;
END
$$;

-- Starts a run if this transaction commits. Returns its id, which is also the ticket. As StartRun; a key or a token
-- that belongs to another run is no error here: hapax.ticket tells.
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
  SET search_path = pg_catalog, pg_temp AS
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

-- Sends a signal to a run if this transaction commits, and returns the ticket. As SignalRun; without a signal_id the
-- ticket is the id.
CREATE FUNCTION signal_run(workspace text, run_id text, type text, payload jsonb DEFAULT NULL,
  signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
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

-- Sends a signal to the run that owns a token if this transaction commits, and returns the ticket. As SignalHook.
CREATE FUNCTION signal_hook(workspace text, token text, type text, payload jsonb DEFAULT NULL,
  signal_id text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
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

-- Cancels a run if this transaction commits, and returns the ticket. As CancelRun.
CREATE FUNCTION cancel_run(workspace text, run_id text, reason text DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'cancel_run');
  id uuid := hapax.draw_intent_id();
BEGIN
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, run_id, reason)
    VALUES (own, id, hapax.next_intent(), clock_timestamp(), session_user, 4, 0, hapax.intent_run('run_id', run_id),
      coalesce(hapax.intent_name('reason', reason), ''));
  RETURN hapax.print_id('intent', id);
END
$$;

-- What became of an intent; no row = not committed, rolled back, or taken more than seven days ago. State: posted,
-- taken or failed.
CREATE FUNCTION ticket(workspace text, ticket text)
  RETURNS TABLE (state text, disposition text, run_id text, reason text, taken_at timestamptz)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  own text := coalesce(nullif(workspace, ''), 'default');
  intent uuid := coalesce(hapax.parse_id('run', ticket), hapax.parse_id('intent', ticket));
BEGIN
  IF NOT hapax.may_post(own, NULL) THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('role %I has no grant in workspace %s', session_user, own),
      HINT = format('Run: hapax sql grant %s --workspace=%s', session_user, own);
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

-- Lets the roles of sql_grant, and no others, call the functions of their verbs. Runs after each change of sql_grant
-- and after each migration, which may have replaced a function.
CREATE FUNCTION apply_sql_grants() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
  door record;
  caller record;
BEGIN
  FOR door IN
    SELECT p.oid::regprocedure AS function, p.proname AS verb, p.proacl AS acl FROM pg_proc p
    WHERE p.pronamespace = 'hapax'::regnamespace
      AND p.proname IN ('start_run', 'signal_run', 'signal_hook', 'cancel_run', 'ticket')
  LOOP
    FOR caller IN
      SELECT r.rolname AS role, bool_or(g.role IS NOT NULL) AS is_granted,
        bool_or(g.role IS NOT NULL AND (door.verb = 'ticket' OR door.verb = ANY (g.verbs))) AS may
      FROM pg_roles r LEFT JOIN hapax.sql_grant g ON g.role = r.rolname
      WHERE g.role IS NOT NULL OR EXISTS (
        SELECT FROM aclexplode(door.acl) a
        WHERE a.grantee = r.oid AND a.grantee <> a.grantor)
      GROUP BY r.rolname
    LOOP
      IF caller.may THEN
        EXECUTE format('GRANT USAGE ON SCHEMA hapax TO %I', caller.role);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', door.function, caller.role);
      ELSE
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %I', door.function, caller.role);
      END IF;
      IF NOT caller.is_granted THEN
        EXECUTE format('REVOKE USAGE ON SCHEMA hapax FROM %I', caller.role);
      END IF;
    END LOOP;
  END LOOP;
END
$$;

DO $$
DECLARE
  door regprocedure;
BEGIN
  FOR door IN
    SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'hapax'::regnamespace AND p.proname IN (
      'reject_argument', 'intent_name', 'required_intent_name', 'intent_payload', 'intent_retention', 'print_id',
      'parse_id', 'intent_run', 'intent_hash', 'draw_intent_id', 'may_post', 'intent_workspace', 'next_intent',
      'start_run', 'signal_run', 'signal_hook', 'cancel_run', 'ticket', 'apply_sql_grants')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', door);
  END LOOP;
END
$$;
