-- insert
insert into hapax.run_step (workspace, run_id, step, name, version, state, attempts)
select u.workspace, u.run_id, u.step, u.name, u.version, u.state, u.attempts
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."run_id") AS "run_id",
    unnest(sent."step") AS "step", unnest(sent."name") AS "name",
    unnest(sent."version") AS "version", unnest(sent."state") AS "state",
    unnest(sent."attempts") AS "attempts"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "run_id", ?::int4[] AS "step",
      ?::varchar[] AS "name", ?::int8[] AS "version", ?::int2[] AS "state", ?::int4[] AS "attempts"
  ) sent
) AS "u";

-- lock; share
select counted.n, counted.version, counted.state, counted.attempts, counted.since, counted.due_at,
  counted.overlapped, counted.is_wait, counted.workspace, counted.nonce, counted.part,
  counted.failure_code, counted.failure_message, counted.failure_stack,
  case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, before_it
from (
  select rows.n, rows.version, rows.state, rows.attempts, rows.since, rows.due_at, rows.overlapped,
    rows.is_wait, rows.workspace, rows.nonce, rows.part, rows.failure_code, rows.failure_message,
    rows.failure_stack, rows.json, rows.bytes,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0))) over (
          order by rows.n rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, s.version, s.state, s.attempts, s.since, s.due_at, s.overlapped, s.is_wait,
      e.workspace, e.nonce, e.part, e.failure_code, e.failure_message, e.failure_stack, e.json,
      e.bytes
    from unnest(?::varchar[], ?::uuid[], ?::int4[], ?::varchar[]) WITH ORDINALITY AS "k"(
      "workspace", "run_id", "step", "name", "n"
    ),
      lateral (
        select hapax.run_step.version, hapax.run_step.state, hapax.run_step.attempts,
          hapax.run_step.since, hapax.run_step.due_at, hapax.run_step.overlapped,
          hapax.run_step.is_wait
        from hapax.run_step
        where (
          hapax.run_step.workspace = k.workspace and hapax.run_step.run_id = k.run_id
            and hapax.run_step.step = k.step and hapax.run_step.name = k.name
        )
        fetch next 1 rows only
      ) as s,
      lateral (
        select hapax.run_event.workspace, hapax.run_event.nonce, hapax.run_event.part,
          hapax.run_event.failure_code, hapax.run_event.failure_message,
          hapax.run_event.failure_stack, hapax.run_event.json, hapax.run_event.bytes
        from hapax.run_event
        where (
          hapax.run_event.workspace = k.workspace and hapax.run_event.run_id = k.run_id
            and hapax.run_event.version = s.version
        )
        fetch next 1 rows only
      ) as e
  ) as rows
) as counted
order by n;

-- change
WITH w AS (
  update hapax.run_step
  set version = u.version, state = u.state, attempts = u.attempts,
    since = to_timestamp(u.since / 1e6::float8), due_at = to_timestamp(u.due_at / 1e6::float8),
    overlapped = u.overlapped, is_wait = u.is_wait
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."run_id") AS "run_id",
      unnest(sent."step") AS "step", unnest(sent."name") AS "name",
      unnest(sent."version") AS "version", unnest(sent."state") AS "state",
      unnest(sent."attempts") AS "attempts", unnest(sent."since") AS "since",
      unnest(sent."due_at") AS "due_at", unnest(sent."overlapped") AS "overlapped",
      unnest(sent."is_wait") AS "is_wait"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "run_id", ?::int4[] AS "step",
        ?::varchar[] AS "name", ?::int8[] AS "version", ?::int2[] AS "state",
        ?::int4[] AS "attempts", ?::int8[] AS "since", ?::int8[] AS "due_at",
        ?::bool[] AS "overlapped", ?::bool[] AS "is_wait"
    ) sent
  ) AS "u"
  where (
    (hapax.run_step.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.run_step.run_id = ANY (ARRAY[u.run_id]))
      and (hapax.run_step.step = ANY (ARRAY[u.step]))
      and (hapax.run_step.name = ANY (ARRAY[u.name])) and hapax.run_step.version < u.version
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'run_step');
