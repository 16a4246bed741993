-- insert
insert into hapax.limit_line (workspace, hash, name, key, max_running, last_turn)
select u.workspace, u.hash, u.name, u.key, u.max_running, u.last_turn
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
    unnest(sent."name") AS "name", unnest(sent."key") AS "key",
    unnest(sent."max_running") AS "max_running", unnest(sent."last_turn") AS "last_turn"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::varchar[] AS "name",
      ?::varchar[] AS "key", ?::int4[] AS "max_running", ?::int8[] AS "last_turn"
  ) sent
) AS "u";

-- lock; share
select k.n, one.workspace, one.name, one.key, one.max_running, one.last_turn
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.limit_line.workspace, hapax.limit_line.name, hapax.limit_line.key,
      hapax.limit_line.max_running, hapax.limit_line.last_turn
    from hapax.limit_line
    where (hapax.limit_line.workspace = k.workspace and hapax.limit_line.hash = k.hash)
    for update
  ) as one
order by k.n;

-- change
WITH w AS (
  insert into hapax.limit_line (workspace, hash, name, key, max_running, last_turn)
  select u.workspace, u.hash, u.name, u.key, u.max_running, u.last_turn
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
      unnest(sent."name") AS "name", unnest(sent."key") AS "key",
      unnest(sent."max_running") AS "max_running", unnest(sent."last_turn") AS "last_turn"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::varchar[] AS "name",
        ?::varchar[] AS "key", ?::int4[] AS "max_running", ?::int8[] AS "last_turn"
    ) sent
  ) AS "u"
  on conflict (workspace, hash)
  do update set workspace = excluded.workspace, hash = excluded.hash, name = excluded.name,
    key = excluded.key, max_running = excluded.max_running, last_turn = excluded.last_turn
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'limit_line');
