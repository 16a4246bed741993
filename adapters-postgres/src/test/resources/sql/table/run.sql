-- insert
insert into hapax.run (
  workspace, id, created_at, not_before, definition_name, definition_version, labels, timeout,
    start_timeout, input_json, version, received, unconsumed, remembered_until, status, step,
    attempt, allowed, fence, named, started_at, queue, due_at, deadline_at, paused, phase, until,
    attempt_until, next_attempt, signal, signal_filter, nonce, after_nonce, poll_id, worker,
    deliveries, turn, limit_hashes, definition_turn, definition_hashes, awaited, line_hashes,
    reason, failure_code, failure_message, failure_part, failure_json, failure_bytes, state,
    output_json, output_bytes, details_json, details_bytes
)
select u.workspace, u.id, to_timestamp(u.created_at / 1e6::float8),
  to_timestamp(u.not_before / 1e6::float8), u.definition_name, u.definition_version, u.labels,
  u.timeout, u.start_timeout, u.input_json, u.version, u.received, u.unconsumed,
  to_timestamp(u.remembered_until / 1e6::float8), u.status, u.step, u.attempt, u.allowed, u.fence,
  u.named, to_timestamp(u.started_at / 1e6::float8), u.queue, to_timestamp(u.due_at / 1e6::float8),
  to_timestamp(u.deadline_at / 1e6::float8), u.paused, u.phase, to_timestamp(u.until / 1e6::float8),
  to_timestamp(u.attempt_until / 1e6::float8), u.next_attempt, u.signal, u.signal_filter, u.nonce,
  u.after_nonce, u.poll_id, u.worker, u.deliveries, u.turn,
  string_to_array(u.limit_hashes, ',')::uuid[], u.definition_turn,
  string_to_array(u.definition_hashes, ',')::uuid[], u.awaited,
  string_to_array(u.line_hashes, ',')::uuid[], u.reason, u.failure_code, u.failure_message,
  u.failure_part, u.failure_json, u.failure_bytes, u.state, u.output_json, u.output_bytes,
  u.details_json, u.details_bytes
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
    unnest(sent."created_at") AS "created_at", unnest(sent."not_before") AS "not_before",
    unnest(sent."definition_name") AS "definition_name",
    unnest(sent."definition_version") AS "definition_version", unnest(sent."labels") AS "labels",
    unnest(sent."timeout") AS "timeout", unnest(sent."start_timeout") AS "start_timeout",
    unnest(sent."input_json") AS "input_json", unnest(sent."version") AS "version",
    unnest(sent."received") AS "received", unnest(sent."unconsumed") AS "unconsumed",
    unnest(sent."remembered_until") AS "remembered_until", unnest(sent."status") AS "status",
    unnest(sent."step") AS "step", unnest(sent."attempt") AS "attempt",
    unnest(sent."allowed") AS "allowed", unnest(sent."fence") AS "fence",
    unnest(sent."named") AS "named", unnest(sent."started_at") AS "started_at",
    unnest(sent."queue") AS "queue", unnest(sent."due_at") AS "due_at",
    unnest(sent."deadline_at") AS "deadline_at", unnest(sent."paused") AS "paused",
    unnest(sent."phase") AS "phase", unnest(sent."until") AS "until",
    unnest(sent."attempt_until") AS "attempt_until", unnest(sent."next_attempt") AS "next_attempt",
    unnest(sent."signal") AS "signal", unnest(sent."signal_filter") AS "signal_filter",
    unnest(sent."nonce") AS "nonce", unnest(sent."after_nonce") AS "after_nonce",
    unnest(sent."poll_id") AS "poll_id", unnest(sent."worker") AS "worker",
    unnest(sent."deliveries") AS "deliveries", unnest(sent."turn") AS "turn",
    unnest(sent."limit_hashes") AS "limit_hashes",
    unnest(sent."definition_turn") AS "definition_turn",
    unnest(sent."definition_hashes") AS "definition_hashes", unnest(sent."awaited") AS "awaited",
    unnest(sent."line_hashes") AS "line_hashes", unnest(sent."reason") AS "reason",
    unnest(sent."failure_code") AS "failure_code",
    unnest(sent."failure_message") AS "failure_message",
    unnest(sent."failure_part") AS "failure_part", unnest(sent."failure_json") AS "failure_json",
    unnest(sent."failure_bytes") AS "failure_bytes", unnest(sent."state") AS "state",
    unnest(sent."output_json") AS "output_json", unnest(sent."output_bytes") AS "output_bytes",
    unnest(sent."details_json") AS "details_json", unnest(sent."details_bytes") AS "details_bytes"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::int8[] AS "created_at",
      ?::int8[] AS "not_before", ?::varchar[] AS "definition_name",
      ?::varchar[] AS "definition_version", ?::varchar[] AS "labels", ?::int8[] AS "timeout",
      ?::int8[] AS "start_timeout", ?::varchar[] AS "input_json", ?::int8[] AS "version",
      ?::int8[] AS "received", ?::int4[] AS "unconsumed", ?::int8[] AS "remembered_until",
      ?::int2[] AS "status", ?::int4[] AS "step", ?::int4[] AS "attempt", ?::int4[] AS "allowed",
      ?::int8[] AS "fence", ?::int4[] AS "named", ?::int8[] AS "started_at",
      ?::varchar[] AS "queue", ?::int8[] AS "due_at", ?::int8[] AS "deadline_at",
      ?::bool[] AS "paused", ?::int2[] AS "phase", ?::int8[] AS "until",
      ?::int8[] AS "attempt_until", ?::int4[] AS "next_attempt", ?::varchar[] AS "signal",
      ?::int2[] AS "signal_filter", ?::int8[] AS "nonce", ?::int8[] AS "after_nonce",
      ?::uuid[] AS "poll_id", ?::varchar[] AS "worker", ?::int4[] AS "deliveries",
      ?::int8[] AS "turn", ?::varchar[] AS "limit_hashes", ?::int8[] AS "definition_turn",
      ?::varchar[] AS "definition_hashes", ?::varchar[] AS "awaited", ?::varchar[] AS "line_hashes",
      ?::varchar[] AS "reason", ?::varchar[] AS "failure_code", ?::varchar[] AS "failure_message",
      ?::varchar[] AS "failure_part", ?::varchar[] AS "failure_json", ?::bytea[] AS "failure_bytes",
      ?::varchar[] AS "state", ?::varchar[] AS "output_json", ?::bytea[] AS "output_bytes",
      ?::varchar[] AS "details_json", ?::bytea[] AS "details_bytes"
  ) sent
) AS "u"
returning hapax.run.id, run.xmin as writer;
insert into hapax.run_label (workspace, run_id, name, value)
select u.workspace, u.run_id, u.name, u.value
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."run_id") AS "run_id",
    unnest(sent."name") AS "name", unnest(sent."value") AS "value"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "run_id", ?::varchar[] AS "name",
      ?::varchar[] AS "value"
  ) sent
) AS "u";

-- change
insert into hapax.run_event (
  workspace, run_id, version, at, step, attempt, type, skipped, actor, nonce, principal, until,
    then_type, then_step, then_actor, then_nonce, then_principal, fence, grant_nonce, worker,
    after_nonce, poll_id, hook, hook_name, retention, other_run, name, signal, signal_filter,
    consumed, patch, reason, failure_code, failure_message, part, part_attempt, elapsed, overlapped,
    is_wait, verdict, held, json, bytes
)
select u.workspace, u.run_id, u.version, to_timestamp(u.at / 1e6::float8), u.step, u.attempt,
  u.type, u.skipped, u.actor, u.nonce, u.principal, to_timestamp(u.until / 1e6::float8),
  u.then_type, u.then_step, u.then_actor, u.then_nonce, u.then_principal, u.fence, u.grant_nonce,
  u.worker, u.after_nonce, u.poll_id, u.hook, u.hook_name, u.retention, u.other_run, u.name,
  u.signal, u.signal_filter, u.consumed, u.patch, u.reason, u.failure_code, u.failure_message,
  u.part, u.part_attempt, u.elapsed, u.overlapped, u.is_wait, u.verdict, u.held, u.json, u.bytes
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."run_id") AS "run_id",
    unnest(sent."version") AS "version", unnest(sent."at") AS "at", unnest(sent."step") AS "step",
    unnest(sent."attempt") AS "attempt", unnest(sent."type") AS "type",
    unnest(sent."skipped") AS "skipped", unnest(sent."actor") AS "actor",
    unnest(sent."nonce") AS "nonce", unnest(sent."principal") AS "principal",
    unnest(sent."until") AS "until", unnest(sent."then_type") AS "then_type",
    unnest(sent."then_step") AS "then_step", unnest(sent."then_actor") AS "then_actor",
    unnest(sent."then_nonce") AS "then_nonce", unnest(sent."then_principal") AS "then_principal",
    unnest(sent."fence") AS "fence", unnest(sent."grant_nonce") AS "grant_nonce",
    unnest(sent."worker") AS "worker", unnest(sent."after_nonce") AS "after_nonce",
    unnest(sent."poll_id") AS "poll_id", unnest(sent."hook") AS "hook",
    unnest(sent."hook_name") AS "hook_name", unnest(sent."retention") AS "retention",
    unnest(sent."other_run") AS "other_run", unnest(sent."name") AS "name",
    unnest(sent."signal") AS "signal", unnest(sent."signal_filter") AS "signal_filter",
    unnest(sent."consumed") AS "consumed", unnest(sent."patch") AS "patch",
    unnest(sent."reason") AS "reason", unnest(sent."failure_code") AS "failure_code",
    unnest(sent."failure_message") AS "failure_message", unnest(sent."part") AS "part",
    unnest(sent."part_attempt") AS "part_attempt", unnest(sent."elapsed") AS "elapsed",
    unnest(sent."overlapped") AS "overlapped", unnest(sent."is_wait") AS "is_wait",
    unnest(sent."verdict") AS "verdict", unnest(sent."held") AS "held",
    unnest(sent."json") AS "json", unnest(sent."bytes") AS "bytes"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "run_id", ?::int8[] AS "version",
      ?::int8[] AS "at", ?::int4[] AS "step", ?::int4[] AS "attempt", ?::int2[] AS "type",
      ?::bool[] AS "skipped", ?::varchar[] AS "actor", ?::int8[] AS "nonce",
      ?::varchar[] AS "principal", ?::int8[] AS "until", ?::int2[] AS "then_type",
      ?::int4[] AS "then_step", ?::varchar[] AS "then_actor", ?::int8[] AS "then_nonce",
      ?::varchar[] AS "then_principal", ?::int8[] AS "fence", ?::int8[] AS "grant_nonce",
      ?::varchar[] AS "worker", ?::int8[] AS "after_nonce", ?::uuid[] AS "poll_id",
      ?::uuid[] AS "hook", ?::varchar[] AS "hook_name", ?::int8[] AS "retention",
      ?::uuid[] AS "other_run", ?::varchar[] AS "name", ?::varchar[] AS "signal",
      ?::int2[] AS "signal_filter", ?::varchar[] AS "consumed", ?::varchar[] AS "patch",
      ?::varchar[] AS "reason", ?::varchar[] AS "failure_code", ?::varchar[] AS "failure_message",
      ?::varchar[] AS "part", ?::int4[] AS "part_attempt", ?::int8[] AS "elapsed",
      ?::bool[] AS "overlapped", ?::bool[] AS "is_wait", ?::int2[] AS "verdict",
      ?::bool[] AS "held", ?::varchar[] AS "json", ?::bytea[] AS "bytes"
  ) sent
) AS "u";

-- lock; share
select counted.n, counted.workspace, counted.created_at, counted.not_before,
  counted.remembered_until, counted.definition_name, counted.definition_version, counted.version,
  counted.fence, counted.received, counted.started_at, counted.until, counted.due_at, counted.nonce,
  counted.deliveries, counted.after_nonce, counted.poll_id, counted.pending_intent,
  counted.supersedes, counted.superseded_by, counted.token_retention, counted.step, counted.attempt,
  counted.allowed, counted.next_attempt, counted.unconsumed, counted.named, counted.status,
  counted.phase, counted.paused, counted.queue, counted.worker, counted.signal_filter,
  counted.signal, counted.failure_code, counted.failure_message,
  case when before_it < 4194304 then counted.failure_json end as failure_json,
  case when before_it < 4194304 then counted.failure_bytes end as failure_bytes, counted.reason,
  case when before_it < 4194304 then counted.output_json end as output_json,
  case when before_it < 4194304 then counted.output_bytes end as output_bytes,
  case when before_it < 4194304 then counted.state end as state,
  case when before_it < 4194304 then counted.input_json end as input_json,
  case when before_it < 4194304 then counted.input_bytes end as input_bytes, counted.labels,
  counted.trace, counted.failure_part, counted.turn, counted.awaited, counted.line_hashes,
  counted.key_lost, counted.timeout, counted.start_timeout, counted.deadline_at,
  counted.attempt_until,
  case when before_it < 4194304 then counted.details_json end as details_json,
  case when before_it < 4194304 then counted.details_bytes end as details_bytes,
  counted.limit_hashes, counted.definition_turn, counted.definition_hashes, counted.writer,
  before_it
from (
  select rows.n, rows.workspace, rows.created_at, rows.not_before, rows.remembered_until,
    rows.definition_name, rows.definition_version, rows.version, rows.fence, rows.received,
    rows.started_at, rows.until, rows.due_at, rows.nonce, rows.deliveries, rows.after_nonce,
    rows.poll_id, rows.pending_intent, rows.supersedes, rows.superseded_by, rows.token_retention,
    rows.step, rows.attempt, rows.allowed, rows.next_attempt, rows.unconsumed, rows.named,
    rows.status, rows.phase, rows.paused, rows.queue, rows.worker, rows.signal_filter, rows.signal,
    rows.failure_code, rows.failure_message, rows.failure_json, rows.failure_bytes, rows.reason,
    rows.output_json, rows.output_bytes, rows.state, rows.input_json, rows.input_bytes, rows.labels,
    rows.trace, rows.failure_part, rows.turn, rows.awaited, rows.line_hashes, rows.key_lost,
    rows.timeout, rows.start_timeout, rows.deadline_at, rows.attempt_until, rows.details_json,
    rows.details_bytes, rows.limit_hashes, rows.definition_turn, rows.definition_hashes,
    rows.writer,
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length(rows.state), 0) + coalesce(octet_length(rows.output_json), 0)
              + coalesce(octet_length(rows.output_bytes), 0)
              + coalesce(octet_length(rows.input_json), 0)
              + coalesce(octet_length(rows.input_bytes), 0)
              + coalesce(octet_length(rows.failure_json), 0)
              + coalesce(octet_length(rows.failure_bytes), 0)
              + coalesce(octet_length(rows.details_json), 0)
              + coalesce(octet_length(rows.details_bytes), 0)
          )
        ) over (order by rows.n rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, r.workspace, r.created_at, r.not_before, r.remembered_until, r.definition_name,
      r.definition_version, r.version, r.fence, r.received, r.started_at, r.until, r.due_at,
      r.nonce, r.deliveries, r.after_nonce, r.poll_id, r.pending_intent, r.supersedes,
      r.superseded_by, r.token_retention, r.step, r.attempt, r.allowed, r.next_attempt,
      r.unconsumed, r.named, r.status, r.phase, r.paused, r.queue, r.worker, r.signal_filter,
      r.signal, r.failure_code, r.failure_message, r.failure_json, r.failure_bytes, r.reason,
      r.output_json, r.output_bytes, r.state, r.input_json, r.input_bytes, r.labels, r.trace,
      r.failure_part, r.turn, r.awaited, r.line_hashes, r.key_lost, r.timeout, r.start_timeout,
      r.deadline_at, r.attempt_until, r.details_json, r.details_bytes, r.limit_hashes,
      r.definition_turn, r.definition_hashes, r.writer
    from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
      lateral (
        select hapax.run.workspace, hapax.run.created_at, hapax.run.not_before,
          hapax.run.remembered_until, hapax.run.definition_name, hapax.run.definition_version,
          hapax.run.version, hapax.run.fence, hapax.run.received, hapax.run.started_at,
          hapax.run.until, hapax.run.due_at, hapax.run.nonce, hapax.run.deliveries,
          hapax.run.after_nonce, hapax.run.poll_id, hapax.run.pending_intent, hapax.run.supersedes,
          hapax.run.superseded_by, hapax.run.token_retention, hapax.run.step, hapax.run.attempt,
          hapax.run.allowed, hapax.run.next_attempt, hapax.run.unconsumed, hapax.run.named,
          hapax.run.status, hapax.run.phase, hapax.run.paused, hapax.run.queue, hapax.run.worker,
          hapax.run.signal_filter, hapax.run.signal, hapax.run.failure_code,
          hapax.run.failure_message, hapax.run.failure_json, hapax.run.failure_bytes,
          hapax.run.reason, hapax.run.output_json, hapax.run.output_bytes, hapax.run.state,
          hapax.run.input_json, hapax.run.input_bytes, hapax.run.labels, hapax.run.trace,
          hapax.run.failure_part, hapax.run.turn, hapax.run.awaited, hapax.run.line_hashes,
          hapax.run.key_lost, hapax.run.timeout, hapax.run.start_timeout, hapax.run.deadline_at,
          hapax.run.attempt_until, hapax.run.details_json, hapax.run.details_bytes,
          hapax.run.limit_hashes, hapax.run.definition_turn, hapax.run.definition_hashes,
          run.xmin as writer
        from hapax.run
        where (hapax.run.workspace = k.workspace and hapax.run.id = k.id)
        for update
      ) as r
  ) as rows
) as counted
order by n;

-- hold
WITH w AS (
  select u.writer
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
      unnest(sent."writer") AS "writer"
    FROM (SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::xid[] AS "writer") sent
  ) AS "u", hapax.run
  where (
    (u.writer is null or u.writer = run.xmin) and (hapax.run.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.run.id = ANY (ARRAY[u.id]))
  )
  for update of run
)
SELECT hapax.expect(?, (SELECT count(writer) FROM w), 'run');

-- change
WITH w AS (
  update hapax.run
  set version = u.version, status = u.status, queue = u.queue,
    due_at = CASE WHEN (
      hapax.run.phase = 2 and (hapax.run.phase IS NOT DISTINCT FROM u.phase)
        and (hapax.run.queue IS NOT DISTINCT FROM u.queue)
    ) AND hapax.run.due_at BETWEEN to_timestamp(u.kept_from / 1e6::float8)
    AND to_timestamp(u.due_at / 1e6::float8) THEN hapax.run.due_at ELSE to_timestamp(
      u.due_at / 1e6::float8
    ) END, paused = u.paused, phase = u.phase, until = to_timestamp(u.until / 1e6::float8),
    attempt_until = to_timestamp(u.attempt_until / 1e6::float8), next_attempt = u.next_attempt,
    signal = u.signal, signal_filter = u.signal_filter, nonce = u.nonce,
    after_nonce = u.after_nonce, poll_id = u.poll_id, worker = u.worker, deliveries = u.deliveries,
    turn = u.turn, limit_hashes = string_to_array(u.limit_hashes, ',')::uuid[], reason = u.reason,
    failure_code = u.failure_code, failure_message = u.failure_message,
    failure_part = u.failure_part, failure_json = u.failure_json, failure_bytes = u.failure_bytes,
    state = CASE WHEN u.changes_state THEN u.state ELSE hapax.run.state END,
    output_json = CASE WHEN u.changes_output THEN u.output_json ELSE hapax.run.output_json END,
    output_bytes = CASE WHEN u.changes_output THEN u.output_bytes ELSE hapax.run.output_bytes END,
    pending_intent = cast(null as uuid)
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
      unnest(sent."writer") AS "writer", unnest(sent."version") AS "version",
      unnest(sent."status") AS "status", unnest(sent."queue") AS "queue",
      unnest(sent."due_at") AS "due_at", unnest(sent."paused") AS "paused",
      unnest(sent."phase") AS "phase", unnest(sent."until") AS "until",
      unnest(sent."attempt_until") AS "attempt_until",
      unnest(sent."next_attempt") AS "next_attempt", unnest(sent."signal") AS "signal",
      unnest(sent."signal_filter") AS "signal_filter", unnest(sent."nonce") AS "nonce",
      unnest(sent."after_nonce") AS "after_nonce", unnest(sent."poll_id") AS "poll_id",
      unnest(sent."worker") AS "worker", unnest(sent."deliveries") AS "deliveries",
      unnest(sent."turn") AS "turn", unnest(sent."limit_hashes") AS "limit_hashes",
      unnest(sent."reason") AS "reason", unnest(sent."failure_code") AS "failure_code",
      unnest(sent."failure_message") AS "failure_message",
      unnest(sent."failure_part") AS "failure_part", unnest(sent."failure_json") AS "failure_json",
      unnest(sent."failure_bytes") AS "failure_bytes", unnest(sent."kept_from") AS "kept_from",
      unnest(sent."changes_state") AS "changes_state", unnest(sent."state") AS "state",
      unnest(sent."changes_output") AS "changes_output",
      unnest(sent."output_json") AS "output_json", unnest(sent."output_bytes") AS "output_bytes"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::xid[] AS "writer",
        ?::int8[] AS "version", ?::int2[] AS "status", ?::varchar[] AS "queue",
        ?::int8[] AS "due_at", ?::bool[] AS "paused", ?::int2[] AS "phase", ?::int8[] AS "until",
        ?::int8[] AS "attempt_until", ?::int4[] AS "next_attempt", ?::varchar[] AS "signal",
        ?::int2[] AS "signal_filter", ?::int8[] AS "nonce", ?::int8[] AS "after_nonce",
        ?::uuid[] AS "poll_id", ?::varchar[] AS "worker", ?::int4[] AS "deliveries",
        ?::int8[] AS "turn", ?::varchar[] AS "limit_hashes", ?::varchar[] AS "reason",
        ?::varchar[] AS "failure_code", ?::varchar[] AS "failure_message",
        ?::varchar[] AS "failure_part", ?::varchar[] AS "failure_json",
        ?::bytea[] AS "failure_bytes", ?::int8[] AS "kept_from", ?::bool[] AS "changes_state",
        ?::varchar[] AS "state", ?::bool[] AS "changes_output", ?::varchar[] AS "output_json",
        ?::bytea[] AS "output_bytes"
    ) sent
  ) AS "u"
  where (
    run.xmin = u.writer and (hapax.run.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.run.id = ANY (ARRAY[u.id]))
  )
  returning hapax.run.id, run.xmin as writer
)
SELECT guard.expected, w.*
FROM (SELECT hapax.expect(?, (SELECT count(*) FROM w), 'run') AS expected) guard LEFT JOIN w ON true;
delete from hapax.place
where (
  ctid = ANY (
    ARRAY(
      select found.ctid
      from unnest(?::varchar[], ?::uuid[], ?::int8[]) WITH ORDINALITY AS "u"(
        "workspace", "hash", "turn", "n"
      ),
        lateral (
          select ctid
          from hapax.place
          where (
            hapax.place.workspace = u.workspace and hapax.place.hash = u.hash
              and hapax.place.turn = u.turn
          )
          offset 0 rows
        ) as found
    )
  )
);
