-- all
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select c.id, r.matches
from (
  select s.id
  from (
    select hapax.run.id as id
    from hapax.run
    where (hapax.run.workspace = ? and true)
    order by hapax.run.id desc
    fetch next 500 rows only
  ) as s
  order by s.id desc
  fetch next 500 rows only
) as c,
  lateral (
    select (true and true and true and true and true) as matches
    from hapax.run
    where (hapax.run.workspace = ? and hapax.run.id = c.id)
    fetch next 1 rows only
  ) as r
order by c.id desc;
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
  counted.limit_hashes, counted.writer, before_it
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
    rows.details_bytes, rows.limit_hashes, rows.writer,
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
      r.deadline_at, r.attempt_until, r.details_json, r.details_bytes, r.limit_hashes, r.writer
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
          hapax.run.limit_hashes, run.xmin as writer
        from hapax.run
        where (hapax.run.workspace = k.workspace and hapax.run.id = k.id)
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;

-- behind
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select c.id, r.matches
from (
  select s.id
  from (
    select hapax.run.id as id
    from hapax.run
    where (hapax.run.workspace = ? and hapax.run.id < cast(? as uuid))
    order by hapax.run.id desc
    fetch next 500 rows only
  ) as s
  order by s.id desc
  fetch next 500 rows only
) as c,
  lateral (
    select (true and true and true and true and true) as matches
    from hapax.run
    where (hapax.run.workspace = ? and hapax.run.id = c.id)
    fetch next 1 rows only
  ) as r
order by c.id desc;
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
  counted.limit_hashes, counted.writer, before_it
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
    rows.details_bytes, rows.limit_hashes, rows.writer,
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
      r.deadline_at, r.attempt_until, r.details_json, r.details_bytes, r.limit_hashes, r.writer
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
          hapax.run.limit_hashes, run.xmin as writer
        from hapax.run
        where (hapax.run.workspace = k.workspace and hapax.run.id = k.id)
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;

-- of some statuses
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select c.id, r.matches
from (
  select s.id
  from (
    (
      select hapax.run.id as id
      from hapax.run
      where (hapax.run.workspace = ? and hapax.run.status = 2 and true)
      order by hapax.run.id desc
      fetch next 500 rows only
    )
    union all (
      select hapax.run.id as id
      from hapax.run
      where (hapax.run.workspace = ? and hapax.run.status = 3 and true)
      order by hapax.run.id desc
      fetch next 500 rows only
    )
  ) as s
  order by s.id desc
  fetch next 500 rows only
) as c,
  lateral (
    select (
      (hapax.run.status = 2 or hapax.run.status = 3) and true and true and true and true and true
    ) as matches
    from hapax.run
    where (hapax.run.workspace = ? and hapax.run.id = c.id)
    fetch next 1 rows only
  ) as r
order by c.id desc;
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
  counted.limit_hashes, counted.writer, before_it
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
    rows.details_bytes, rows.limit_hashes, rows.writer,
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
      r.deadline_at, r.attempt_until, r.details_json, r.details_bytes, r.limit_hashes, r.writer
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
          hapax.run.limit_hashes, run.xmin as writer
        from hapax.run
        where (hapax.run.workspace = k.workspace and hapax.run.id = k.id)
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;

-- created then
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select c.id, r.matches
from (
  select s.id
  from (
    select hapax.run.id as id
    from hapax.run
    where (
      hapax.run.workspace = ? and hapax.run.id >= cast(? as uuid) and hapax.run.id < cast(? as uuid)
    )
    order by hapax.run.id desc
    fetch next 500 rows only
  ) as s
  order by s.id desc
  fetch next 500 rows only
) as c,
  lateral (
    select (
      true and hapax.run.created_at >= cast(? as timestamp(6) with time zone)
        and hapax.run.created_at < cast(? as timestamp(6) with time zone) and true and true
    ) as matches
    from hapax.run
    where (hapax.run.workspace = ? and hapax.run.id = c.id)
    fetch next 1 rows only
  ) as r
order by c.id desc;
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
  counted.limit_hashes, counted.writer, before_it
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
    rows.details_bytes, rows.limit_hashes, rows.writer,
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
      r.deadline_at, r.attempt_until, r.details_json, r.details_bytes, r.limit_hashes, r.writer
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
          hapax.run.limit_hashes, run.xmin as writer
        from hapax.run
        where (hapax.run.workspace = k.workspace and hapax.run.id = k.id)
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;

-- by every filter
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select c.id, r.matches
from (
  select s.id
  from (
    select hapax.run_label.run_id as id
    from hapax.run_label
    where (
      hapax.run_label.workspace = ? and hapax.run_label.name = ? and hapax.run_label.value = ?
        and hapax.run_label.run_id >= cast(? as uuid) and hapax.run_label.run_id < cast(? as uuid)
    )
    order by hapax.run_label.run_id desc
    fetch next 500 rows only
  ) as s
  order by s.id desc
  fetch next 500 rows only
) as c,
  lateral (
    select (
      hapax.run.status = 6 and (hapax.run.definition_name = ANY (cast(? as varchar[])))
        and hapax.run.failure_code = ?
        and hapax.run.created_at >= cast(? as timestamp(6) with time zone)
        and hapax.run.created_at < cast(? as timestamp(6) with time zone)
        and hapax.run.until >= cast(? as timestamp(6) with time zone)
        and hapax.run.until < cast(? as timestamp(6) with time zone)
        and exists (
          select 1 as one
          from hapax.run_label
          where (
            hapax.run_label.workspace = ? and hapax.run_label.name = ? and hapax.run_label.value = ?
              and hapax.run_label.run_id = hapax.run.id
          )
        )
    ) as matches
    from hapax.run
    where (hapax.run.workspace = ? and hapax.run.id = c.id)
    fetch next 1 rows only
  ) as r
order by c.id desc;
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
  counted.limit_hashes, counted.writer, before_it
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
    rows.details_bytes, rows.limit_hashes, rows.writer,
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
      r.deadline_at, r.attempt_until, r.details_json, r.details_bytes, r.limit_hashes, r.writer
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
          hapax.run.limit_hashes, run.xmin as writer
        from hapax.run
        where (hapax.run.workspace = k.workspace and hapax.run.id = k.id)
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;
