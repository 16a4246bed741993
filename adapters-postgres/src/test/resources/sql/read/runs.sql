-- find
SELECT set_config('hapax.scope', ?, false);
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

-- keyed
SELECT set_config('hapax.scope', ?, false);
select hapax.run_key.run_id
from hapax.run_key
where (hapax.run_key.workspace = ? and hapax.run_key.hash = cast(? as uuid));

-- versions
SELECT set_config('hapax.scope', ?, false);
select k.n, r.version
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
  lateral (
    select hapax.run.version
    from hapax.run
    where (hapax.run.workspace = k.workspace and hapax.run.id = k.id)
    fetch next 1 rows only
  ) as r;

-- events
SELECT set_config('hapax.scope', ?, false);
select counted.workspace, counted.run_id, counted.version, counted.at, counted.step,
  counted.attempt, counted.type, counted.skipped, counted.actor, counted.principal, counted.nonce,
  counted.until, counted.fence, counted.grant_nonce, counted.worker, counted.after_nonce,
  counted.poll_id, counted.hook, counted.hook_name, counted.retention, counted.other_run,
  counted.name, counted.signal_filter, counted.signal, counted.consumed,
  case when before_it < 4194304 then counted.patch end as patch, counted.reason,
  counted.failure_code,
  case when before_it < 4194304 then counted.failure_message end as failure_message,
  case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, counted.then_type,
  counted.then_step, counted.then_attempt, counted.then_actor, counted.then_principal,
  counted.then_nonce, counted.part_attempt, counted.elapsed, counted.overlapped, counted.is_wait,
  counted.part, case when before_it < 4194304 then counted.failure_stack end as failure_stack,
  counted.verdict, counted.held, counted.created_at, counted.not_before, counted.remembered_until,
  counted.labels, counted.trace, counted.timeout, counted.start_timeout,
  case when before_it < 4194304 then counted.input_json end as input_json,
  case when before_it < 4194304 then counted.input_bytes end as input_bytes, before_it
from (
  select rows.workspace, rows.run_id, rows.version, rows.at, rows.step, rows.attempt, rows.type,
    rows.skipped, rows.actor, rows.principal, rows.nonce, rows.until, rows.fence, rows.grant_nonce,
    rows.worker, rows.after_nonce, rows.poll_id, rows.hook, rows.hook_name, rows.retention,
    rows.other_run, rows.name, rows.signal_filter, rows.signal, rows.consumed, rows.patch,
    rows.reason, rows.failure_code, rows.failure_message, rows.json, rows.bytes, rows.then_type,
    rows.then_step, rows.then_attempt, rows.then_actor, rows.then_principal, rows.then_nonce,
    rows.part_attempt, rows.elapsed, rows.overlapped, rows.is_wait, rows.part, rows.failure_stack,
    rows.verdict, rows.held, rows.created_at, rows.not_before, rows.remembered_until, rows.labels,
    rows.trace, rows.timeout, rows.start_timeout, rows.input_json, rows.input_bytes,
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0)
              + coalesce(octet_length(rows.patch), 0)
              + coalesce(octet_length(rows.failure_message), 0)
              + coalesce(octet_length(rows.failure_stack), 0)
              + coalesce(octet_length(rows.input_json), 0)
              + coalesce(octet_length(rows.input_bytes), 0)
          )
        ) over (order by rows.version rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as before_it
  from (
    select e.workspace, e.run_id, e.version, e.at, e.step, e.attempt, e.type, e.skipped, e.actor,
      e.principal, e.nonce, e.until, e.fence, e.grant_nonce, e.worker, e.after_nonce, e.poll_id,
      e.hook, e.hook_name, e.retention, e.other_run, e.name, e.signal_filter, e.signal, e.consumed,
      e.patch, e.reason, e.failure_code, e.failure_message, e.json, e.bytes, e.then_type,
      e.then_step, e.then_attempt, e.then_actor, e.then_principal, e.then_nonce, e.part_attempt,
      e.elapsed, e.overlapped, e.is_wait, e.part, e.failure_stack, e.verdict, e.held, o.created_at,
      o.not_before, o.remembered_until, o.labels, o.trace, o.timeout, o.start_timeout, o.input_json,
      o.input_bytes
    from (
      select hapax.run_event.workspace, hapax.run_event.run_id, hapax.run_event.version,
        hapax.run_event.at, hapax.run_event.step, hapax.run_event.attempt, hapax.run_event.type,
        hapax.run_event.skipped, hapax.run_event.actor, hapax.run_event.principal,
        hapax.run_event.nonce, hapax.run_event.until, hapax.run_event.fence,
        hapax.run_event.grant_nonce, hapax.run_event.worker, hapax.run_event.after_nonce,
        hapax.run_event.poll_id, hapax.run_event.hook, hapax.run_event.hook_name,
        hapax.run_event.retention, hapax.run_event.other_run, hapax.run_event.name,
        hapax.run_event.signal_filter, hapax.run_event.signal, hapax.run_event.consumed,
        hapax.run_event.patch, hapax.run_event.reason, hapax.run_event.failure_code,
        hapax.run_event.failure_message, hapax.run_event.json, hapax.run_event.bytes,
        hapax.run_event.then_type, hapax.run_event.then_step, hapax.run_event.then_attempt,
        hapax.run_event.then_actor, hapax.run_event.then_principal, hapax.run_event.then_nonce,
        hapax.run_event.part_attempt, hapax.run_event.elapsed, hapax.run_event.overlapped,
        hapax.run_event.is_wait, hapax.run_event.part, hapax.run_event.failure_stack,
        hapax.run_event.verdict, hapax.run_event.held
      from hapax.run_event
      where (
        hapax.run_event.workspace = ? and hapax.run_event.run_id = cast(? as uuid)
          and hapax.run_event.version >= ?
          and (hapax.run_event.version > ? or hapax.run_event.then_type is not null)
      )
      order by hapax.run_event.version
      fetch next ? rows only
    ) as e
    left outer join lateral (
      select hapax.run.created_at, hapax.run.not_before, hapax.run.remembered_until,
        hapax.run.labels, hapax.run.trace, hapax.run.timeout, hapax.run.start_timeout,
        hapax.run.input_json, hapax.run.input_bytes
      from hapax.run
      where (hapax.run.workspace = e.workspace and hapax.run.id = e.run_id and (e.type = 1))
      fetch next 1 rows only
    ) as o on true
  ) as rows
) as counted
order by version;

-- endedBy
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
    and hapax.run_event.nonce = ? and hapax.run_event.step = ?
    and hapax.run_event.type in (3, 4, 5, 7, 9)
)
order by hapax.run_event.version
fetch next 1 rows only;

-- isReopened
SELECT set_config('hapax.scope', ?, false);
select 1
from hapax.run_event
where (
  hapax.run_event.workspace = ? and hapax.run_event.run_id = cast(? as uuid)
    and hapax.run_event.name = ? and hapax.run_event.type in (14, 23)
)
fetch next 1 rows only;

-- inbox; firstOf any type
SELECT set_config('hapax.scope', ?, false);
select s.id, s.signal, s.hook, s.hook_name, e.at, e.json, e.bytes
from (
  select hapax.run_signal.workspace, hapax.run_signal.run_id, hapax.run_signal.version,
    hapax.run_signal.id, hapax.run_signal.type as signal, hapax.run_signal.hook,
    hapax.run_signal.hook_name
  from hapax.run_signal
  where (
    hapax.run_signal.workspace = ? and hapax.run_signal.run_id = cast(? as uuid)
      and not (hapax.run_signal.consumed)
  )
  order by hapax.run_signal.version
  fetch next ? rows only
) as s,
  lateral (
    select hapax.run_event.at, hapax.run_event.json, hapax.run_event.bytes
    from hapax.run_event
    where (
      hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
        and hapax.run_event.version = s.version
    )
    fetch next 1 rows only
  ) as e
order by s.version;

-- wakingSignal
SELECT set_config('hapax.scope', ?, false);
select s.id, s.signal, s.hook, s.hook_name, e.at, e.json, e.bytes
from (
  select hapax.run_signal.workspace, hapax.run_signal.run_id, hapax.run_signal.version,
    hapax.run_signal.id, hapax.run_signal.type as signal, hapax.run_signal.hook,
    hapax.run_signal.hook_name
  from hapax.run_signal
  where (
    hapax.run_signal.workspace = ? and hapax.run_signal.run_id = cast(? as uuid)
      and not (hapax.run_signal.consumed)
      and hapax.run_signal.id = (
        select hapax.run_event.name
        from hapax.run_event
        where (
          hapax.run_event.workspace = ? and hapax.run_event.run_id = cast(? as uuid)
            and hapax.run_event.step = ? and hapax.run_event.type in (6)
        )
        order by hapax.run_event.version desc
        fetch next 1 rows only
      )
  )
  order by hapax.run_signal.version
  fetch next ? rows only
) as s,
  lateral (
    select hapax.run_event.at, hapax.run_event.json, hapax.run_event.bytes
    from hapax.run_event
    where (
      hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
        and hapax.run_event.version = s.version
    )
    fetch next 1 rows only
  ) as e
order by s.version;

-- firstOf a type
SELECT set_config('hapax.scope', ?, false);
select s.id, s.signal, s.hook, s.hook_name, e.at, e.json, e.bytes
from (
  select hapax.run_signal.workspace, hapax.run_signal.run_id, hapax.run_signal.version,
    hapax.run_signal.id, hapax.run_signal.type as signal, hapax.run_signal.hook,
    hapax.run_signal.hook_name
  from hapax.run_signal
  where (
    hapax.run_signal.workspace = ? and hapax.run_signal.run_id = cast(? as uuid)
      and not (hapax.run_signal.consumed) and hapax.run_signal.type = ?
  )
  order by hapax.run_signal.version
  fetch next ? rows only
) as s,
  lateral (
    select hapax.run_event.at, hapax.run_event.json, hapax.run_event.bytes
    from hapax.run_event
    where (
      hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
        and hapax.run_event.version = s.version
    )
    fetch next 1 rows only
  ) as e
order by s.version;

-- firstOf a token
SELECT set_config('hapax.scope', ?, false);
select s.id, s.signal, s.hook, s.hook_name, e.at, e.json, e.bytes
from (
  select hapax.run_signal.workspace, hapax.run_signal.run_id, hapax.run_signal.version,
    hapax.run_signal.id, hapax.run_signal.type as signal, hapax.run_signal.hook,
    hapax.run_signal.hook_name
  from hapax.run_signal
  where (
    hapax.run_signal.workspace = ? and hapax.run_signal.run_id = cast(? as uuid)
      and not (hapax.run_signal.consumed) and hapax.run_signal.hook >= cast(? as uuid)
      and hapax.run_signal.hook <= cast(? as uuid)
  )
  order by hapax.run_signal.version
  fetch next ? rows only
) as s,
  lateral (
    select hapax.run_event.at, hapax.run_event.json, hapax.run_event.bytes
    from hapax.run_event
    where (
      hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
        and hapax.run_event.version = s.version
    )
    fetch next 1 rows only
  ) as e
order by s.version;

-- firstOf a token name
SELECT set_config('hapax.scope', ?, false);
select s.id, s.signal, s.hook, s.hook_name, e.at, e.json, e.bytes
from (
  select hapax.run_signal.workspace, hapax.run_signal.run_id, hapax.run_signal.version,
    hapax.run_signal.id, hapax.run_signal.type as signal, hapax.run_signal.hook,
    hapax.run_signal.hook_name
  from hapax.run_signal
  where (
    hapax.run_signal.workspace = ? and hapax.run_signal.run_id = cast(? as uuid)
      and not (hapax.run_signal.consumed) and hapax.run_signal.hook_name = ?
  )
  order by hapax.run_signal.version
  fetch next ? rows only
) as s,
  lateral (
    select hapax.run_event.at, hapax.run_event.json, hapax.run_event.bytes
    from hapax.run_event
    where (
      hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
        and hapax.run_event.version = s.version
    )
    fetch next 1 rows only
  ) as e
order by s.version;

-- signalOutputs
SELECT set_config('hapax.scope', ?, false);
select counted.version, counted.step, case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, before_it
from (
  select rows.version, rows.step, rows.json, rows.bytes,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0))) over (
          order by rows.version rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select hapax.run_event.version, hapax.run_event.step, hapax.run_event.json,
      hapax.run_event.bytes
    from hapax.run_event
    where (
      hapax.run_event.workspace = ? and hapax.run_event.run_id = cast(? as uuid)
        and hapax.run_event.type in (3) and (step = ANY (?::int4[]))
    )
    order by hapax.run_event.version
    fetch next ? rows only
  ) as rows
) as counted
order by version;

-- signalOutputs of one step
SELECT set_config('hapax.scope', ?, false);
select counted.n, case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, before_it
from (
  select rows.n, rows.json, rows.bytes,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0))) over (
          order by rows.n rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, e.json, e.bytes
    from unnest(?::varchar[], ?::uuid[], ?::int4[]) WITH ORDINALITY AS "k"(
      "workspace", "run_id", "step", "n"
    ),
      lateral (
        select hapax.run_event.json, hapax.run_event.bytes
        from hapax.run_event
        where (
          hapax.run_event.workspace = k.workspace and hapax.run_event.run_id = k.run_id
            and hapax.run_event.type in (3) and hapax.run_event.step = k.step
        )
        order by hapax.run_event.version
        fetch next 1 rows only
      ) as e
  ) as rows
) as counted
order by n;

-- parts
SELECT set_config('hapax.scope', ?, false);
select counted.workspace, counted.run_id, counted.step, counted.name, counted.version,
  counted.state, counted.attempts, counted.since, counted.due_at, counted.overlapped,
  counted.is_wait, case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, before_it
from (
  select rows.workspace, rows.run_id, rows.step, rows.name, rows.version, rows.state, rows.attempts,
    rows.since, rows.due_at, rows.overlapped, rows.is_wait, rows.json, rows.bytes,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0))) over (
          order by rows.version rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select s.workspace, s.run_id, s.step, s.name, s.version, s.state, s.attempts, s.since, s.due_at,
      s.overlapped, s.is_wait, e.json, e.bytes
    from (
      select hapax.run_step.workspace, hapax.run_step.run_id, hapax.run_step.step,
        hapax.run_step.name, hapax.run_step.version, hapax.run_step.state, hapax.run_step.attempts,
        hapax.run_step.since, hapax.run_step.due_at, hapax.run_step.overlapped,
        hapax.run_step.is_wait
      from hapax.run_step
      where (
        hapax.run_step.workspace = ? and hapax.run_step.run_id = cast(? as uuid)
          and hapax.run_step.step = ? and hapax.run_step.state is null
          and hapax.run_step.version > ?
      )
      order by hapax.run_step.version
      fetch next ? rows only
    ) as s,
      lateral (
        select hapax.run_event.json, hapax.run_event.bytes
        from hapax.run_event
        where (
          hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
            and hapax.run_event.version = s.version
        )
        fetch next 1 rows only
      ) as e
    order by s.version
  ) as rows
) as counted
order by version;
select s.workspace, s.run_id, s.step, s.name, s.version, s.state, s.attempts, s.since, s.due_at,
  s.overlapped, s.is_wait, e.nonce, e.part, e.failure_code, e.failure_message, e.failure_stack,
  e.json, e.bytes
from (
  select hapax.run_step.workspace, hapax.run_step.run_id, hapax.run_step.step, hapax.run_step.name,
    hapax.run_step.version, hapax.run_step.state, hapax.run_step.attempts, hapax.run_step.since,
    hapax.run_step.due_at, hapax.run_step.overlapped, hapax.run_step.is_wait
  from hapax.run_step
  where (
    hapax.run_step.workspace = ? and hapax.run_step.run_id = cast(? as uuid)
      and hapax.run_step.step = ? and hapax.run_step.state is not null
  )
  order by hapax.run_step.version
  fetch next ? rows only
) as s,
  lateral (
    select hapax.run_event.nonce, hapax.run_event.part, hapax.run_event.failure_code,
      hapax.run_event.failure_message, hapax.run_event.failure_stack, hapax.run_event.json,
      hapax.run_event.bytes
    from hapax.run_event
    where (
      hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
        and hapax.run_event.version = s.version
    )
    fetch next 1 rows only
  ) as e
order by s.version;

-- recorded
SELECT set_config('hapax.scope', ?, false);
select counted.workspace, counted.run_id, counted.step, counted.name, counted.version,
  counted.state, counted.attempts, counted.since, counted.due_at, counted.overlapped,
  counted.is_wait, case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, before_it
from (
  select rows.workspace, rows.run_id, rows.step, rows.name, rows.version, rows.state, rows.attempts,
    rows.since, rows.due_at, rows.overlapped, rows.is_wait, rows.json, rows.bytes,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0))) over (
          order by rows.version rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select s.workspace, s.run_id, s.step, s.name, s.version, s.state, s.attempts, s.since, s.due_at,
      s.overlapped, s.is_wait, e.json, e.bytes
    from (
      select hapax.run_step.workspace, hapax.run_step.run_id, hapax.run_step.step,
        hapax.run_step.name, hapax.run_step.version, hapax.run_step.state, hapax.run_step.attempts,
        hapax.run_step.since, hapax.run_step.due_at, hapax.run_step.overlapped,
        hapax.run_step.is_wait
      from hapax.run_step
      where (
        hapax.run_step.workspace = ? and hapax.run_step.run_id = cast(? as uuid)
          and hapax.run_step.step = ? and hapax.run_step.state is null
          and hapax.run_step.version > ?
      )
      order by hapax.run_step.version
      fetch next ? rows only
    ) as s,
      lateral (
        select hapax.run_event.json, hapax.run_event.bytes
        from hapax.run_event
        where (
          hapax.run_event.workspace = s.workspace and hapax.run_event.run_id = s.run_id
            and hapax.run_event.version = s.version
        )
        fetch next 1 rows only
      ) as e
    order by s.version
  ) as rows
) as counted
order by version;

-- ready of a queue
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select hapax.run.id
from hapax.run
where (
  hapax.run.workspace = ? and hapax.run.queue = ?
    and hapax.run.due_at <= cast(current_timestamp as timestamp with time zone)
    and hapax.run.due_at > current_timestamp - ? * interval '1 microsecond'
)
order by hapax.run.due_at
fetch next ? rows only;

-- ready of queues
select q.n
from unnest(?::varchar[], ?::varchar[]) WITH ORDINALITY AS "q"("workspace", "queue", "n"),
  lateral (
    select hapax.run.id
    from hapax.run
    where (
      hapax.run.workspace = q.workspace and hapax.run.queue = q.queue
        and hapax.run.due_at <= cast(current_timestamp as timestamp with time zone)
        and hapax.run.due_at > current_timestamp - ? * interval '1 microsecond'
    )
    order by hapax.run.due_at
    fetch next 1 rows only
  ) as r;

-- due
(
  select hapax.run.workspace, hapax.run.id,
    case when hapax.run.phase = 2 then hapax.run.until else hapax.run.due_at end as due_at,
    clock_timestamp() as now
  from hapax.run
  where (
    hapax.run.queue is null and hapax.run.due_at < current_timestamp + ? * interval '1 microsecond'
      and hapax.run.due_at > current_timestamp - ? * interval '1 microsecond'
      and hapax.run.phase <> 2
      and ((SELECT true FROM hapax.moved WHERE moved.workspace = run.workspace) IS NULL)
  )
  order by run.due_at
  fetch next ? rows only
)
UNION ALL (
  select hapax.run.workspace, hapax.run.id,
    case when hapax.run.phase = 2 then hapax.run.until else hapax.run.due_at end as due_at,
    clock_timestamp() as now
  from hapax.run
  where (
    hapax.run.queue is null and hapax.run.due_at < current_timestamp + ? * interval '1 microsecond'
      and hapax.run.due_at > current_timestamp - ? * interval '1 microsecond'
      and hapax.run.phase = 2
      and ((SELECT true FROM hapax.moved WHERE moved.workspace = run.workspace) IS NULL)
  )
  order by run.due_at
  fetch next ? rows only
)
UNION ALL (
  select hapax.run.workspace, hapax.run.id, hapax.run.deadline_at as due_at,
    clock_timestamp() as now
  from hapax.run
  where (
    hapax.run.deadline_at < current_timestamp + ? * interval '1 microsecond'
      and hapax.run.deadline_at > current_timestamp - ? * interval '1 microsecond'
      and hapax.run.phase < 6
      and ((SELECT true FROM hapax.moved WHERE moved.workspace = run.workspace) IS NULL)
  )
  order by run.deadline_at
  fetch next ? rows only
);

-- polled
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SET LOCAL plan_cache_mode = force_generic_plan;
select p.n, r.id
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "p"("workspace", "poll_id", "n"),
  lateral (
    select hapax.run.id
    from hapax.run
    where (hapax.run.workspace = p.workspace and hapax.run.poll_id between p.poll_id and p.poll_id)
    order by hapax.run.poll_id
  ) as r;
