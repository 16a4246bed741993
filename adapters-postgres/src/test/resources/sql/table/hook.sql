-- insert
insert into hapax.hook (workspace, hash, run_id, name, created_at, retention, disposed_at)
select u.workspace, u.hash, u.run_id, u.name, to_timestamp(u.created_at / 1e6::float8), u.retention,
  to_timestamp(u.disposed_at / 1e6::float8)
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
    unnest(sent."run_id") AS "run_id", unnest(sent."name") AS "name",
    unnest(sent."created_at") AS "created_at", unnest(sent."retention") AS "retention",
    unnest(sent."disposed_at") AS "disposed_at"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::uuid[] AS "run_id",
      ?::varchar[] AS "name", ?::int8[] AS "created_at", ?::int8[] AS "retention",
      ?::int8[] AS "disposed_at"
  ) sent
) AS "u";

-- lock; share
select k.n, one.workspace, one.run_id, one.name, one.created_at, one.retention, one.disposed_at,
  one.last_turn, one.waiting
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.hook.workspace, hapax.hook.run_id, hapax.hook.name, hapax.hook.created_at,
      hapax.hook.retention, hapax.hook.disposed_at, hapax.hook.last_turn, hapax.hook.waiting
    from hapax.hook
    where (hapax.hook.workspace = k.workspace and hapax.hook.hash = k.hash)
    for update
  ) as one
order by k.n;

-- change
WITH w AS (
  update hapax.hook
  set run_id = u.run_id, name = u.name, created_at = to_timestamp(u.created_at / 1e6::float8),
    retention = u.retention, disposed_at = to_timestamp(u.disposed_at / 1e6::float8),
    last_turn = u.last_turn, waiting = u.waiting
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
      unnest(sent."run_id") AS "run_id", unnest(sent."name") AS "name",
      unnest(sent."created_at") AS "created_at", unnest(sent."retention") AS "retention",
      unnest(sent."disposed_at") AS "disposed_at", unnest(sent."last_turn") AS "last_turn",
      unnest(sent."waiting") AS "waiting"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::uuid[] AS "run_id",
        ?::varchar[] AS "name", ?::int8[] AS "created_at", ?::int8[] AS "retention",
        ?::int8[] AS "disposed_at", ?::int8[] AS "last_turn", ?::int4[] AS "waiting"
    ) sent
  ) AS "u"
  where (
    (hapax.hook.workspace = ANY (ARRAY[u.workspace])) and (hapax.hook.hash = ANY (ARRAY[u.hash]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'hook');
