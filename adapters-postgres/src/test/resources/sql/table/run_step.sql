-- insert
insert into hapax.run_step (workspace, run_id, step, name, version)
select u.workspace, u.run_id, u.step, u.name, u.version
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."run_id") AS "run_id",
    unnest(sent."step") AS "step", unnest(sent."name") AS "name",
    unnest(sent."version") AS "version"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "run_id", ?::int4[] AS "step",
      ?::varchar[] AS "name", ?::int8[] AS "version"
  ) sent
) AS "u";

-- lock; share
select counted.n, counted.workspace, counted.version, counted.nonce,
  case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, before_it
from (
  select rows.n, rows.workspace, rows.version, rows.nonce, rows.json, rows.bytes,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0))) over (
          order by rows.n rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, e.workspace, e.version, e.nonce, e.json, e.bytes
    from unnest(?::varchar[], ?::uuid[], ?::int4[], ?::varchar[]) WITH ORDINALITY AS "k"(
      "workspace", "run_id", "step", "name", "n"
    ),
      lateral (
        select hapax.run_step.version
        from hapax.run_step
        where (
          hapax.run_step.workspace = k.workspace and hapax.run_step.run_id = k.run_id
            and hapax.run_step.step = k.step and hapax.run_step.name = k.name
        )
        fetch next 1 rows only
      ) as s,
      lateral (
        select hapax.run_event.workspace, hapax.run_event.version, hapax.run_event.nonce,
          hapax.run_event.json, hapax.run_event.bytes
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
