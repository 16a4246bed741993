-- lock; share
select k.n, one.workspace, one.verb, one.role, one.posted_at, one.tries, one.not_before
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
  lateral (
    select hapax.inbox.workspace, hapax.inbox.verb, hapax.inbox.role, hapax.inbox.posted_at,
      hapax.inbox.tries, hapax.inbox.not_before
    from hapax.inbox
    where (hapax.inbox.workspace = k.workspace and hapax.inbox.id = k.id)
    for update
  ) as one
order by k.n;

-- insert
insert into hapax.intent_outcome (
  workspace, id, verb, role, posted_at, tries, taken_at, disposition, signal_disposition, run_id,
    owner_id
)
select o.workspace, o.id, o.verb, o.role, to_timestamp(o.posted_at / 1e6::float8), o.tries,
  to_timestamp(o.taken_at / 1e6::float8), o.disposition, o.signal_disposition, o.run_id, o.owner_id
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
    unnest(sent."verb") AS "verb", unnest(sent."role") AS "role",
    unnest(sent."posted_at") AS "posted_at", unnest(sent."tries") AS "tries",
    unnest(sent."taken_at") AS "taken_at", unnest(sent."disposition") AS "disposition",
    unnest(sent."signal_disposition") AS "signal_disposition", unnest(sent."run_id") AS "run_id",
    unnest(sent."owner_id") AS "owner_id"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::int2[] AS "verb",
      ?::varchar[] AS "role", ?::int8[] AS "posted_at", ?::int2[] AS "tries",
      ?::int8[] AS "taken_at", ?::varchar[] AS "disposition", ?::varchar[] AS "signal_disposition",
      ?::uuid[] AS "run_id", ?::uuid[] AS "owner_id"
  ) sent
) AS "o";

-- change
WITH w AS (
  delete from hapax.inbox
  where (
    ctid = ANY (
      ARRAY(
        select found.ctid
        from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "d"("workspace", "id", "n"),
          lateral (
            select ctid
            from hapax.inbox
            where (hapax.inbox.workspace = d.workspace and hapax.inbox.id = d.id)
            offset 0 rows
          ) as found
      )
    )
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'inbox');
WITH w AS (
  update hapax.inbox
  set tries = u.tries, not_before = to_timestamp(u.not_before / 1e6::float8)
  from unnest(?::varchar[], ?::uuid[], ?::int2[], ?::int8[]) WITH ORDINALITY AS "u"(
    "workspace", "id", "tries", "not_before", "n"
  )
  where (hapax.inbox.workspace = u.workspace and hapax.inbox.id = u.id)
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'inbox');
