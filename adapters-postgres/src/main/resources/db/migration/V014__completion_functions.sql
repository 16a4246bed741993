-- The functions by which applications complete actions, tasks and operations in their own transactions. Each locks the
-- record, checks the claim, makes an intent pending on the record, and posts it. They wait for a transaction that has
-- the record locked, and keep it locked until their own ends. A session keeps their plans, and the tables fill and empty
-- all the time: without the settings, a plan that was made for an almost empty table would scan a large one.

-- Raises HX002: the claim is lost.
CREATE FUNCTION raise_claim_lost(why text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'HX002', MESSAGE = 'the claim is lost: ' || why,
    HINT = 'Roll back: the work belongs to its present holder, or is done.';
END
$$;

-- The bytes of the id of a claim.
CREATE FUNCTION claim_bytes(prefix text, claim_id text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
  digits text := substr(claim_id, char_length(prefix) + 1);
BEGIN
  IF coalesce(claim_id, '') = '' THEN
    PERFORM hapax.reject_argument('claim_id', 'is required');
  ELSIF NOT starts_with(claim_id, prefix) OR digits !~ '^[A-Za-z0-9_-]+$' OR char_length(digits) % 4 = 1 THEN
    PERFORM hapax.reject_argument('claim_id', format('must be the id of a claim, such as %s…', prefix));
  END IF;
  RETURN decode(rpad(translate(digits, '-_', '+/'), (char_length(digits) + 3) / 4 * 4, '='), 'base64');
END
$$;

-- The name at this offset, behind its length in two bytes.
CREATE FUNCTION claim_name(bytes bytea, at integer) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
  size integer := CASE WHEN length(bytes) >= at + 2 THEN get_byte(bytes, at) * 256 + get_byte(bytes, at + 1) END;
BEGIN
  IF size IS NULL OR length(bytes) < at + 2 + size THEN
    PERFORM hapax.reject_argument('claim_id', 'is truncated');
  END IF;
  RETURN substring(bytes FROM at + 3 FOR size);
END
$$;

-- The number of eight bytes at this offset.
CREATE FUNCTION claim_number(bytes bytea, at integer) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
  IF length(bytes) < at + 8 THEN
    PERFORM hapax.reject_argument('claim_id', 'is truncated');
  END IF;
  RETURN ('x' || encode(substring(bytes FROM at + 1 FOR 8), 'hex'))::bit(64)::bigint;
END
$$;

-- The id of 16 bytes at the beginning.
CREATE FUNCTION claim_uuid(bytes bytea) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
  IF length(bytes) < 16 THEN
    PERFORM hapax.reject_argument('claim_id', 'is truncated');
  END IF;
  RETURN encode(substring(bytes FROM 1 FOR 16), 'hex')::uuid;
END
$$;

-- The entity of an action is where its claim has it: after 16 bytes of signature, the workspace, and 25 bytes.
CREATE FUNCTION claimed_lifecycle(bytes bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
  RETURN hapax.claim_name(bytes, 18 + length(hapax.claim_name(bytes, 16)) + 25);
END
$$;

CREATE FUNCTION claimed_entity(bytes bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
  RETURN hapax.claim_name(bytes,
    18 + length(hapax.claim_name(bytes, 16)) + 27 + length(hapax.claimed_lifecycle(bytes)));
END
$$;

-- A claim belongs to one workspace.
CREATE FUNCTION check_claim_workspace(claim_workspace bytea, own text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
  IF claim_workspace <> convert_to(own, 'UTF8') THEN
    PERFORM hapax.raise_claim_lost(format('workspace %s has no such claim', own));
  END IF;
END
$$;

-- Completes an action if this transaction commits, and returns the ticket. As CompleteAction, for an entity in a claim
-- state. Raises HX002 if the claim is lost, and HX003 if the action has no claim state.
CREATE FUNCTION complete_action(workspace text, claim_id text, fence bigint, output jsonb DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET enable_seqscan = off SET jit = off AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'complete_action');
  ticket uuid := hapax.draw_intent_id();
  output_text text := hapax.intent_payload('output', output);
  bytes bytea := hapax.claim_bytes('action_', claim_id);
  flags_at integer := 18 + length(hapax.claim_name(bytes, 16));
  claim_nonce bigint := hapax.claim_number(bytes, flags_at + 9);
  claim_fence bigint := fence;
  own_lifecycle text := convert_from(hapax.claimed_lifecycle(bytes), 'UTF8');
  own_entity text := convert_from(hapax.claimed_entity(bytes), 'UTF8');
  held record;
BEGIN
  PERFORM hapax.check_claim_workspace(hapax.claim_name(bytes, 16), own);
  IF get_byte(bytes, flags_at) & 1 = 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'HX003',
      MESSAGE = format('the step has no claim state, so that another action may move entity %s first', own_entity),
      HINT = 'Give the step a claim state in its lifecycle, or call CompleteAction.';
  END IF;
  SELECT e.hold, e.nonce, e.fence, e.pending_intent INTO held FROM hapax.entity e
    WHERE e.workspace = own AND e.lifecycle = own_lifecycle AND e.id = own_entity FOR UPDATE;
  IF held.hold IS DISTINCT FROM 2 OR held.nonce <> claim_nonce OR held.fence IS DISTINCT FROM claim_fence THEN
    PERFORM hapax.raise_claim_lost(format('it no longer holds entity %s of %s', own_entity, own_lifecycle));
  ELSIF held.pending_intent IS NOT NULL THEN
    PERFORM hapax.raise_claim_lost(format('entity %s of %s is completed', own_entity, own_lifecycle));
  END IF;
  UPDATE hapax.entity e SET pending_intent = ticket
    WHERE e.workspace = own AND e.lifecycle = own_lifecycle AND e.id = own_entity;
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, lifecycle, entity, nonce, fence, output)
    VALUES (own, ticket, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 5,
      coalesce(octet_length(output_text), 0), own_lifecycle, own_entity, claim_nonce, claim_fence, output_text);
  RETURN hapax.print_id('intent', ticket);
END
$$;

-- Completes the step of a run if this transaction commits, and returns the ticket. As CompleteTask. Raises HX002 if the
-- claim is lost.
CREATE FUNCTION complete_task(workspace text, claim_id text, fence bigint, output jsonb DEFAULT NULL,
  state_patch jsonb DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET enable_seqscan = off SET jit = off AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'complete_task');
  ticket uuid := hapax.draw_intent_id();
  output_text text := hapax.intent_payload('output', output);
  patch_text text := hapax.intent_payload('state_patch', state_patch);
  bytes bytea := hapax.claim_bytes('task_', claim_id);
  own_run uuid := hapax.claim_uuid(bytes);
  claim_nonce bigint := hapax.claim_number(bytes, 18);
  claim_step integer := get_byte(bytes, 16) * 256 + get_byte(bytes, 17);
  claim_fence bigint := fence;
  held record;
BEGIN
  PERFORM hapax.check_claim_workspace(substring(bytes FROM 27), own);
  IF jsonb_typeof(state_patch) <> 'object' THEN
    PERFORM hapax.reject_argument('state_patch', 'must be a JSON object');
  END IF;
  SELECT r.phase, r.nonce, r.fence, r.step, r.pending_intent, coalesce(octet_length(r.state), 2) AS state_size INTO held
    FROM hapax.run r WHERE r.workspace = own AND r.id = own_run FOR UPDATE;
  IF held.phase IS DISTINCT FROM 2 OR held.nonce <> claim_nonce OR held.fence IS DISTINCT FROM claim_fence
      OR held.step <> claim_step THEN
    PERFORM hapax.raise_claim_lost(format('it no longer holds the task of %s', hapax.print_id('run', own_run)));
  ELSIF held.pending_intent IS NOT NULL THEN
    PERFORM hapax.raise_claim_lost(format('the task of %s is completed', hapax.print_id('run', own_run)));
  ELSIF held.state_size + octet_length(patch_text) > 262144 THEN
    PERFORM hapax.reject_argument('state_patch',
      format('has %s bytes, and the state of the run %s; at most 262144 together are allowed', octet_length(patch_text),
        held.state_size));
  END IF;
  UPDATE hapax.run r SET pending_intent = ticket WHERE r.workspace = own AND r.id = own_run;
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, run_id, nonce, fence, step, output,
      state_patch)
    VALUES (own, ticket, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 6,
      coalesce(octet_length(output_text), 0) + coalesce(octet_length(patch_text), 0), own_run, claim_nonce, claim_fence,
      claim_step, output_text, patch_text);
  RETURN hapax.print_id('intent', ticket);
END
$$;

-- Completes an operation if this transaction commits, and returns the ticket. As CompleteOperation. Raises HX002 if the
-- claim is lost.
CREATE FUNCTION complete_operation(workspace text, claim_id text, fence bigint, result jsonb DEFAULT NULL,
  account_after text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET enable_seqscan = off SET jit = off AS
$$
DECLARE
  own text := hapax.intent_workspace(workspace, 'complete_operation');
  ticket uuid := hapax.draw_intent_id();
  result_text text := hapax.intent_payload('result', result);
  account text := hapax.intent_name('account_after', account_after);
  bytes bytea := hapax.claim_bytes('op_', claim_id);
  own_operation uuid := hapax.claim_uuid(bytes);
  claim_nonce bigint := hapax.claim_number(bytes, 16);
  claim_fence bigint := fence;
  held record;
BEGIN
  PERFORM hapax.check_claim_workspace(substring(bytes FROM 33), own);
  SELECT o.state, o.nonce, o.fence, o.pending_intent INTO held FROM hapax.operation o
    WHERE o.workspace = own AND o.id = own_operation FOR UPDATE;
  IF coalesce(held.state, 3) > 2 OR held.nonce <> claim_nonce OR held.fence IS DISTINCT FROM claim_fence THEN
    PERFORM hapax.raise_claim_lost('it no longer holds the operation');
  ELSIF held.pending_intent IS NOT NULL THEN
    PERFORM hapax.raise_claim_lost('the operation is completed');
  END IF;
  UPDATE hapax.operation o SET pending_intent = ticket WHERE o.workspace = own AND o.id = own_operation;
  INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size, operation, nonce, fence, output,
      account_after)
    VALUES (own, ticket, hapax.next_intent(own), clock_timestamp(), hapax.caller(), 7,
      coalesce(octet_length(result_text), 0), own_operation, claim_nonce, claim_fence, result_text, account);
  RETURN hapax.print_id('intent', ticket);
END
$$;

-- The order in which servers lock the records of claims: entities by UTF-16 code units, others by signed halves of ids.
CREATE FUNCTION completion_order(claim_id text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
  prefix text := split_part(claim_id, '_', 1) || '_';
  bytes bytea := hapax.claim_bytes(prefix, claim_id);
BEGIN
  IF prefix = 'action_' THEN
    -- a name has no character 1; the first bytes of characters beyond U+FFFF sort before those from U+E000
    RETURN 'b' || translate(
      convert_from(hapax.claimed_lifecycle(bytes) || '\x01' || hapax.claimed_entity(bytes), 'LATIN1'),
      U&'\00EE\00EF\00F0\00F1\00F2\00F3\00F4', U&'\00F3\00F4\00EE\00EF\00F0\00F1\00F2');
  END IF;
  bytes := uuid_send(hapax.claim_uuid(bytes));
  RETURN CASE prefix WHEN 'op_' THEN 'a' ELSE 'c' END
    || encode(set_byte(set_byte(bytes, 0, get_byte(bytes, 0) # 128), 8, get_byte(bytes, 8) # 128), 'hex');
END
$$;

-- Completes several records of a workspace if this transaction commits, and returns a ticket for each. Locks them in
-- the order of servers, which several calls in one transaction do not. Each element has the arguments of the function
-- for its claim: claim_id, fence, output and state_patch. The output of an operation is its result.
CREATE FUNCTION complete(workspace text, completions jsonb) RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  one record;
  ticket text;
  tickets text[] := '{}';
BEGIN
  IF jsonb_typeof(completions) IS DISTINCT FROM 'array' OR completions @? 'strict $[*] ? (@.type() != "object")' THEN
    PERFORM hapax.reject_argument('completions', 'must be a JSON array of objects');
  ELSIF jsonb_array_length(completions) > 1000 THEN
    PERFORM hapax.reject_argument('completions',
      format('has %s elements; at most 1000 are allowed', jsonb_array_length(completions)));
  END IF;
  FOR one IN
    SELECT k.name FROM jsonb_array_elements(completions) e, jsonb_object_keys(e) k (name)
    WHERE k.name NOT IN ('claim_id', 'fence', 'output', 'state_patch') LIMIT 1
  LOOP
    PERFORM hapax.reject_argument('completions', format('has an element with the unknown member %s', one.name));
  END LOOP;
  FOR one IN
    SELECT c.*, split_part(c.claim_id, '_', 1) AS kind
    FROM ROWS FROM (
      jsonb_to_recordset(completions) AS (claim_id text, fence bigint, output jsonb, state_patch jsonb)
    ) WITH ORDINALITY c ORDER BY hapax.completion_order(c.claim_id) COLLATE "C"
  LOOP
    IF one.kind = 'action' THEN
      ticket := hapax.complete_action(workspace, one.claim_id, one.fence, one.output);
    ELSIF one.kind = 'task' THEN
      ticket := hapax.complete_task(workspace, one.claim_id, one.fence, one.output, one.state_patch);
    ELSIF one.kind = 'op' THEN
      ticket := hapax.complete_operation(workspace, one.claim_id, one.fence, one.output);
    ELSE
      PERFORM hapax.reject_argument('claim_id', 'must be the id of a claim of an action, a task or an operation');
    END IF;
    IF one.state_patch IS NOT NULL AND one.kind <> 'task' THEN
      PERFORM hapax.reject_argument('state_patch', 'is only allowed for tasks');
    END IF;
    tickets[one.ordinality] := ticket;
  END LOOP;
  RETURN tickets;
END
$$;
