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
WITH w AS (
  insert into hapax.intent_outcome (
    workspace, id, verb, role, posted_at, tries, taken_at, disposition, signal_disposition, run_id,
      owner_id
  )
  select o.workspace, o.id, o.verb, o.role, to_timestamp(o.posted_at / 1e6::float8), o.tries,
    to_timestamp(o.taken_at / 1e6::float8), o.disposition, o.signal_disposition, o.run_id,
    o.owner_id
  from unnest(
    ?::varchar[], ?::uuid[], ?::int2[], ?::varchar[], ?::int8[], ?::int2[], ?::int8[], ?::varchar[],
      ?::varchar[], ?::uuid[], ?::uuid[]
  ) WITH ORDINALITY AS "o"(
    "workspace", "id", "verb", "role", "posted_at", "tries", "taken_at", "disposition",
      "signal_disposition", "run_id", "owner_id", "n"
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'intent_outcome');

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
