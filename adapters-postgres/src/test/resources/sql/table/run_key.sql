-- insert
insert into hapax.run_key (workspace, hash, run_id, request, expires_at)
select u.workspace, u.hash, u.run_id, u.request, to_timestamp(u.expires_at / 1e6::float8)
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
    unnest(sent."run_id") AS "run_id", unnest(sent."request") AS "request",
    unnest(sent."expires_at") AS "expires_at"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::uuid[] AS "run_id",
      ?::uuid[] AS "request", ?::int8[] AS "expires_at"
  ) sent
) AS "u";

-- lock; share
select k.n, r.workspace, r.run_id, r.request, r.expires_at
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.run_key.workspace, hapax.run_key.run_id, hapax.run_key.request,
      hapax.run_key.expires_at
    from hapax.run_key
    where (hapax.run_key.workspace = k.workspace and hapax.run_key.hash = k.hash)
    for update
  ) as r
order by k.n;

-- change
WITH w AS (
  update hapax.run_key
  set run_id = u.run_id, request = u.request, expires_at = to_timestamp(u.expires_at / 1e6::float8)
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
      unnest(sent."run_id") AS "run_id", unnest(sent."request") AS "request",
      unnest(sent."expires_at") AS "expires_at"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::uuid[] AS "run_id",
        ?::uuid[] AS "request", ?::int8[] AS "expires_at"
    ) sent
  ) AS "u"
  where (
    (hapax.run_key.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.run_key.hash = ANY (ARRAY[u.hash]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'run_key');
