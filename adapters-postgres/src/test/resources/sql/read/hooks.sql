-- find
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select k.n, one.workspace, one.run_id, one.name, one.created_at, one.retention, one.disposed_at,
  one.last_turn, one.waiting
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.hook.workspace, hapax.hook.run_id, hapax.hook.name, hapax.hook.created_at,
      hapax.hook.retention, hapax.hook.disposed_at, hapax.hook.last_turn, hapax.hook.waiting
    from hapax.hook
    where (hapax.hook.workspace = k.workspace and hapax.hook.hash = k.hash)
    fetch next 1 rows only
  ) as one
order by k.n;
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
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;
COMMIT;

-- find with a line
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select k.n, one.workspace, one.run_id, one.name, one.created_at, one.retention, one.disposed_at,
  one.last_turn, one.waiting
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.hook.workspace, hapax.hook.run_id, hapax.hook.name, hapax.hook.created_at,
      hapax.hook.retention, hapax.hook.disposed_at, hapax.hook.last_turn, hapax.hook.waiting
    from hapax.hook
    where (hapax.hook.workspace = k.workspace and hapax.hook.hash = k.hash)
    fetch next 1 rows only
  ) as one
order by k.n;
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
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;
SELECT p.turn, p.run_id FROM hapax.place p, LATERAL (SELECT FROM hapax.run r
  WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
    AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes)) LIMIT 1) w
WHERE p.workspace = ? AND p.hash = ? ORDER BY p.turn LIMIT 20;
COMMIT;

-- ahead
SELECT set_config('hapax.scope', ?, false);
SELECT count(*) FROM (SELECT FROM hapax.place p, LATERAL (SELECT FROM hapax.run r
  WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
    AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes)) LIMIT 1) w
  WHERE p.workspace = ? AND p.hash = ? AND p.turn < ? LIMIT 10000) waiting;

-- unowned
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
WITH RECURSIVE token(workspace, hash) AS (
  (
    SELECT p.workspace, p.hash
    FROM hapax.place p
    WHERE (p.workspace, p.hash) > (?, ?::uuid)
    ORDER BY p.workspace, p.hash
    LIMIT 1
  )
  UNION ALL
  SELECT next.*
  FROM token t,
    LATERAL (
      SELECT p.workspace, p.hash
      FROM hapax.place p
      WHERE (p.workspace, p.hash) > (t.workspace, t.hash)
      ORDER BY p.workspace, p.hash
      LIMIT 1
    ) next
)
SELECT t.workspace, t.hash,
  coalesce(
    (
      SELECT h.disposed_at IS NOT NULL
        OR (
          SELECT true
          FROM hapax.run r
          WHERE r.workspace = h.workspace AND r.id = h.run_id AND r.phase < 6 AND r.awaited IS NULL
          LIMIT 1
        ) IS NULL
      FROM hapax.hook h
      WHERE h.workspace = t.workspace AND h.hash = t.hash
      LIMIT 1
    ), false
  )
  AND (
    SELECT true
    FROM hapax.place p,
      LATERAL (
        SELECT
        FROM hapax.run r
        WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
          AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
        LIMIT 1
      ) w
    WHERE p.workspace = t.workspace AND p.hash = t.hash
    LIMIT 1
  ) IS NOT NULL
  AND (SELECT true FROM hapax.moved WHERE moved.workspace = t.workspace) IS NULL AS is_unowned
FROM (SELECT * FROM token LIMIT ?) t;

-- held
SELECT set_config('hapax.scope', ?, false);
select hapax.run_event.workspace, hapax.run_event.run_id, hapax.run_event.version,
  hapax.run_event.at, hapax.run_event.step, hapax.run_event.attempt, hapax.run_event.type,
  hapax.run_event.skipped, hapax.run_event.actor, hapax.run_event.principal, hapax.run_event.nonce,
  hapax.run_event.until, hapax.run_event.fence, hapax.run_event.grant_nonce, hapax.run_event.worker,
  hapax.run_event.after_nonce, hapax.run_event.poll_id, hapax.run_event.hook,
  hapax.run_event.hook_name, hapax.run_event.retention, hapax.run_event.other_run,
  hapax.run_event.name, hapax.run_event.signal_filter, hapax.run_event.signal,
  hapax.run_event.consumed, hapax.run_event.patch, hapax.run_event.reason,
  hapax.run_event.failure_code, hapax.run_event.failure_message, hapax.run_event.json,
  hapax.run_event.bytes, hapax.run_event.then_type, hapax.run_event.then_step,
  hapax.run_event.then_attempt, hapax.run_event.then_actor, hapax.run_event.then_principal,
  hapax.run_event.then_nonce, hapax.run_event.part_attempt, hapax.run_event.elapsed,
  hapax.run_event.overlapped, hapax.run_event.is_wait, hapax.run_event.part,
  hapax.run_event.failure_stack, hapax.run_event.verdict, hapax.run_event.held
from hapax.run_event
where (
  hapax.run_event.workspace = ? and hapax.run_event.run_id = cast(? as uuid)
    and hapax.run_event.type in (18, 19)
)
order by hapax.run_event.version;
