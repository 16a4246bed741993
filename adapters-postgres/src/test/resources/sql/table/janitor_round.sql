-- insert
insert into hapax.janitor_round (workspace, module, at, freed, complete, got_on)
select u.workspace, u.module, to_timestamp(u.at / 1e6::float8), u.freed, u.complete,
  to_timestamp(u.got_on / 1e6::float8)
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."module") AS "module",
    unnest(sent."at") AS "at", unnest(sent."freed") AS "freed",
    unnest(sent."complete") AS "complete", unnest(sent."got_on") AS "got_on"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "module", ?::int8[] AS "at",
      ?::int4[] AS "freed", ?::bool[] AS "complete", ?::int8[] AS "got_on"
  ) sent
) AS "u";

-- lock; share
select k.n, r.workspace, r.at, r.freed, r.complete, r.got_on
from unnest(?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"("workspace", "module", "n"),
  lateral (
    select hapax.janitor_round.workspace, hapax.janitor_round.at, hapax.janitor_round.freed,
      hapax.janitor_round.complete, hapax.janitor_round.got_on
    from hapax.janitor_round
    where (hapax.janitor_round.workspace = k.workspace and hapax.janitor_round.module = k.module)
    for update
  ) as r
order by k.n;

-- change
WITH w AS (
  update hapax.janitor_round
  set at = to_timestamp(u.at / 1e6::float8), freed = u.freed, complete = u.complete,
    got_on = to_timestamp(u.got_on / 1e6::float8)
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."module") AS "module",
      unnest(sent."at") AS "at", unnest(sent."freed") AS "freed",
      unnest(sent."complete") AS "complete", unnest(sent."got_on") AS "got_on"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "module", ?::int8[] AS "at",
        ?::int4[] AS "freed", ?::bool[] AS "complete", ?::int8[] AS "got_on"
    ) sent
  ) AS "u"
  where (
    (hapax.janitor_round.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.janitor_round.module = ANY (ARRAY[u.module]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'janitor_round');
