-- insert
insert into hapax.run_signal (workspace, run_id, id, version, type, hook, hook_name, consumed)
select u.workspace, u.run_id, u.id, u.version, u.type, u.hook, u.hook_name, u.consumed
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."run_id") AS "run_id",
    unnest(sent."id") AS "id", unnest(sent."version") AS "version", unnest(sent."type") AS "type",
    unnest(sent."hook") AS "hook", unnest(sent."hook_name") AS "hook_name",
    unnest(sent."consumed") AS "consumed"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "run_id", ?::varchar[] AS "id",
      ?::int8[] AS "version", ?::varchar[] AS "type", ?::uuid[] AS "hook",
      ?::varchar[] AS "hook_name", ?::bool[] AS "consumed"
  ) sent
) AS "u";

-- lock; share
select k.n, r.workspace, r.version, r.type, r.consumed, r.hook, r.hook_name
from unnest(?::varchar[], ?::uuid[], ?::varchar[]) WITH ORDINALITY AS "k"(
  "workspace", "run_id", "id", "n"
),
  lateral (
    select hapax.run_signal.workspace, hapax.run_signal.version, hapax.run_signal.type,
      hapax.run_signal.consumed, hapax.run_signal.hook, hapax.run_signal.hook_name
    from hapax.run_signal
    where (
      hapax.run_signal.workspace = k.workspace and hapax.run_signal.run_id = k.run_id
        and hapax.run_signal.id = k.id
    )
    fetch next 1 rows only
  ) as r;

-- change
WITH w AS (
  update hapax.run_signal
  set version = u.version, consumed = u.consumed
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."run_id") AS "run_id",
      unnest(sent."id") AS "id", unnest(sent."version") AS "version",
      unnest(sent."consumed") AS "consumed"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "run_id", ?::varchar[] AS "id",
        ?::int8[] AS "version", ?::bool[] AS "consumed"
    ) sent
  ) AS "u"
  where (
    (hapax.run_signal.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.run_signal.run_id = ANY (ARRAY[u.run_id]))
      and (hapax.run_signal.id = ANY (ARRAY[u.id])) and hapax.run_signal.version = u.version
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'run_signal');
