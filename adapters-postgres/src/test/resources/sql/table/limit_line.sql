-- insert
insert into hapax.limit_line (workspace, hash, of_definitions, name, key, max_running, last_turn)
select u.workspace, u.hash, u.of_definitions, u.name, u.key, u.max_running, u.last_turn
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
    unnest(sent."of_definitions") AS "of_definitions", unnest(sent."name") AS "name",
    unnest(sent."key") AS "key", unnest(sent."max_running") AS "max_running",
    unnest(sent."last_turn") AS "last_turn"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::bool[] AS "of_definitions",
      ?::varchar[] AS "name", ?::varchar[] AS "key", ?::int4[] AS "max_running",
      ?::int8[] AS "last_turn"
  ) sent
) AS "u";

-- lock; share
select k.n, one.workspace, one.of_definitions, one.name, one.key, one.max_running, one.last_turn,
  one.max_starts, one.per, one.started_at, one.due_at, one.due_turn
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.limit_line.workspace, hapax.limit_line.of_definitions, hapax.limit_line.name,
      hapax.limit_line.key, hapax.limit_line.max_running, hapax.limit_line.last_turn,
      hapax.limit_line.max_starts, hapax.limit_line.per, hapax.limit_line.started_at,
      hapax.limit_line.due_at, hapax.limit_line.due_turn
    from hapax.limit_line
    where (hapax.limit_line.workspace = k.workspace and hapax.limit_line.hash = k.hash)
    for update
  ) as one
order by k.n;

-- change
WITH w AS (
  update hapax.limit_line
  set of_definitions = u.of_definitions, name = u.name, key = u.key, max_running = u.max_running,
    last_turn = u.last_turn, max_starts = u.max_starts, per = u.per,
    started_at = to_timestamp(u.started_at / 1e6::float8),
    due_at = to_timestamp(u.due_at / 1e6::float8), due_turn = u.due_turn
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
      unnest(sent."of_definitions") AS "of_definitions", unnest(sent."name") AS "name",
      unnest(sent."key") AS "key", unnest(sent."max_running") AS "max_running",
      unnest(sent."last_turn") AS "last_turn", unnest(sent."max_starts") AS "max_starts",
      unnest(sent."per") AS "per", unnest(sent."started_at") AS "started_at",
      unnest(sent."due_at") AS "due_at", unnest(sent."due_turn") AS "due_turn"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::bool[] AS "of_definitions",
        ?::varchar[] AS "name", ?::varchar[] AS "key", ?::int4[] AS "max_running",
        ?::int8[] AS "last_turn", ?::int4[] AS "max_starts", ?::int8[] AS "per",
        ?::int8[] AS "started_at", ?::int8[] AS "due_at", ?::int8[] AS "due_turn"
    ) sent
  ) AS "u"
  where (
    (hapax.limit_line.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.limit_line.hash = ANY (ARRAY[u.hash]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'limit_line');
