-- insert
insert into hapax.entity_deletion (
  workspace, lifecycle, id, version, fence, deleted_at, purged, request_id
)
select u.workspace, u.lifecycle, u.id, u.version, u.fence, to_timestamp(u.deleted_at / 1e6::float8),
  u.purged, u.request_id
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."lifecycle") AS "lifecycle",
    unnest(sent."id") AS "id", unnest(sent."version") AS "version", unnest(sent."fence") AS "fence",
    unnest(sent."deleted_at") AS "deleted_at", unnest(sent."purged") AS "purged",
    unnest(sent."request_id") AS "request_id"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "lifecycle", ?::varchar[] AS "id",
      ?::int8[] AS "version", ?::int8[] AS "fence", ?::int8[] AS "deleted_at",
      ?::bool[] AS "purged", ?::varchar[] AS "request_id"
  ) sent
) AS "u";

-- lock; share
select k.n, one.workspace, one.version, one.fence, one.deleted_at, one.request_id
from unnest(?::varchar[], ?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"(
  "workspace", "lifecycle", "id", "n"
),
  lateral (
    select hapax.entity_deletion.workspace, hapax.entity_deletion.version,
      hapax.entity_deletion.fence, hapax.entity_deletion.deleted_at,
      hapax.entity_deletion.request_id
    from hapax.entity_deletion
    where (
      hapax.entity_deletion.workspace = k.workspace
        and hapax.entity_deletion.lifecycle = k.lifecycle and hapax.entity_deletion.id = k.id
    )
    for update
  ) as one
order by k.n;

-- change
WITH w AS (
  update hapax.entity_deletion
  set version = u.version, fence = u.fence, deleted_at = to_timestamp(u.deleted_at / 1e6::float8),
    purged = u.purged, request_id = u.request_id
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."lifecycle") AS "lifecycle",
      unnest(sent."id") AS "id", unnest(sent."version") AS "version",
      unnest(sent."fence") AS "fence", unnest(sent."deleted_at") AS "deleted_at",
      unnest(sent."purged") AS "purged", unnest(sent."request_id") AS "request_id"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "lifecycle", ?::varchar[] AS "id",
        ?::int8[] AS "version", ?::int8[] AS "fence", ?::int8[] AS "deleted_at",
        ?::bool[] AS "purged", ?::varchar[] AS "request_id"
    ) sent
  ) AS "u"
  where (
    (hapax.entity_deletion.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.entity_deletion.lifecycle = ANY (ARRAY[u.lifecycle]))
      and (hapax.entity_deletion.id = ANY (ARRAY[u.id]))
      and hapax.entity_deletion.version < u.version
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity_deletion');
