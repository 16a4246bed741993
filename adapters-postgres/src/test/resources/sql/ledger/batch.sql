-- register a definition
insert into hapax.committer (id, batch) values (cast(? as uuid), ?);
BEGIN;
SET LOCAL lock_timeout = 750;
SET LOCAL hapax.scope = 'runs';
select counted.n, counted.workspace, counted.registered_at,
  case when before_it < 4194304 then counted.steps end as steps, counted.timeout, counted.limits,
  counted.registered_by, counted.registered_by_principal, counted.reason, before_it
from (
  select rows.n, rows.workspace, rows.registered_at, rows.steps, rows.timeout, rows.limits,
    rows.registered_by, rows.registered_by_principal, rows.reason,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.steps), 0)) over (
          order by rows.n rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, r.workspace, r.registered_at, r.steps, r.timeout, r.limits, r.registered_by,
      r.registered_by_principal, r.reason
    from unnest(?::varchar[], ?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"(
      "workspace", "name", "version", "n"
    ),
      lateral (
        select hapax.definition.workspace, hapax.definition.registered_at, hapax.definition.steps,
          hapax.definition.timeout, hapax.definition.limits, hapax.definition.registered_by,
          hapax.definition.registered_by_principal, hapax.definition.reason
        from hapax.definition
        where (
          hapax.definition.workspace = k.workspace and hapax.definition.name = k.name
            and hapax.definition.version = k.version
        )
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;
SELECT clock_timestamp(), (SELECT coalesce(max(epoch), 0) FROM hapax.restoration),
  (SELECT max(feature) FROM hapax.required_feature),
  (
    SELECT string_agg(workspace, ',')
    FROM hapax.moved
    WHERE workspace = ANY (string_to_array(?, ','))
  );
WITH w AS (
  update hapax.committer
  set batch = ?
  where (hapax.committer.id = cast(? as uuid) and hapax.committer.batch < ?)
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'committer');
insert into hapax.definition (workspace, name, version, registered_at, steps, registered_by, reason)
select u.workspace, u.name, u.version, to_timestamp(u.registered_at / 1e6::float8), u.steps,
  u.registered_by, u.reason
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."name") AS "name",
    unnest(sent."version") AS "version", unnest(sent."registered_at") AS "registered_at",
    unnest(sent."steps") AS "steps", unnest(sent."registered_by") AS "registered_by",
    unnest(sent."reason") AS "reason"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "name", ?::varchar[] AS "version",
      ?::int8[] AS "registered_at", ?::varchar[] AS "steps", ?::varchar[] AS "registered_by",
      ?::varchar[] AS "reason"
  ) sent
) AS "u";
COMMIT;

-- read it
BEGIN;
SET LOCAL lock_timeout = 750;
SET LOCAL hapax.scope = 'runs';
select counted.n, counted.workspace, counted.registered_at,
  case when before_it < 4194304 then counted.steps end as steps, counted.timeout, counted.limits,
  counted.registered_by, counted.registered_by_principal, counted.reason, before_it
from (
  select rows.n, rows.workspace, rows.registered_at, rows.steps, rows.timeout, rows.limits,
    rows.registered_by, rows.registered_by_principal, rows.reason,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.steps), 0)) over (
          order by rows.n rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, r.workspace, r.registered_at, r.steps, r.timeout, r.limits, r.registered_by,
      r.registered_by_principal, r.reason
    from unnest(?::varchar[], ?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"(
      "workspace", "name", "version", "n"
    ),
      lateral (
        select hapax.definition.workspace, hapax.definition.registered_at, hapax.definition.steps,
          hapax.definition.timeout, hapax.definition.limits, hapax.definition.registered_by,
          hapax.definition.registered_by_principal, hapax.definition.reason
        from hapax.definition
        where (
          hapax.definition.workspace = k.workspace and hapax.definition.name = k.name
            and hapax.definition.version = k.version
        )
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;
SELECT clock_timestamp(), (SELECT coalesce(max(epoch), 0) FROM hapax.restoration),
  (SELECT max(feature) FROM hapax.required_feature),
  (
    SELECT string_agg(workspace, ',')
    FROM hapax.moved
    WHERE workspace = ANY (string_to_array(?, ','))
  );
COMMIT;
