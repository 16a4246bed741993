-- workspaces
WITH RECURSIVE w AS (
  (SELECT i.workspace FROM hapax.inbox i ORDER BY i.workspace LIMIT 1)
  UNION ALL
  SELECT (
    SELECT i.workspace
    FROM hapax.inbox i
    WHERE i.workspace > w.workspace
    ORDER BY i.workspace
    LIMIT 1
  )
  FROM w
  WHERE w.workspace IS NOT NULL
)
SELECT pg_current_snapshot()::text AS snapshot, EXISTS (SELECT FROM hapax.sql_grant) AS used,
  w.workspace
FROM (SELECT) one LEFT JOIN w ON w.workspace IS NOT NULL
  AND (SELECT true FROM hapax.moved WHERE moved.workspace = w.workspace) IS NULL;

-- workspaces since
WITH w AS (
  SELECT DISTINCT i.workspace
  FROM hapax.inbox i
  WHERE i.xid >= pg_snapshot_xmax(?::pg_snapshot)
    OR i.xid = ANY (ARRAY(SELECT pg_snapshot_xip(?::pg_snapshot)))
)
SELECT pg_current_snapshot()::text AS snapshot, EXISTS (SELECT FROM hapax.sql_grant) AS used,
  w.workspace
FROM (SELECT) one LEFT JOIN w ON w.workspace IS NOT NULL
  AND (SELECT true FROM hapax.moved WHERE moved.workspace = w.workspace) IS NULL;

-- scan of a workspace; next page
SELECT pg_current_snapshot()::text AS snapshot, statement_timestamp() AS now,
  EXISTS (SELECT FROM hapax.sql_grant) AS used, i.*
FROM (SELECT) one LEFT JOIN (
  SELECT *
  FROM (
    SELECT p.*, count(*) OVER () AS candidates,
      sum(p.size) OVER (ORDER BY p.seq ROWS UNBOUNDED PRECEDING) - p.size AS before_it
    FROM (
      SELECT i.*
      FROM hapax.inbox i
      WHERE pg_visible_in_snapshot(
        i.xid, coalesce(nullif(?, '')::pg_snapshot, pg_current_snapshot())
      ) AND i.workspace = ?
        AND (
          i.verb NOT IN (2, 3) OR i.not_before IS NOT NULL
            OR (i.workspace, i.verb, coalesce(i.run_id, i.token)) NOT IN (
              SELECT p.workspace, p.verb, coalesce(p.run_id, p.token)
              FROM hapax.inbox p
              WHERE p.not_before > statement_timestamp() AND p.verb IN (2, 3)
            )
        ) AND i.seq > ? AND i.verb <= 7
      ORDER BY i.seq
      LIMIT ?
    ) p
  ) s
  WHERE before_it < 4194304
) i ON true
ORDER BY i.seq;

-- scan since
SELECT pg_current_snapshot()::text AS snapshot, statement_timestamp() AS now,
  EXISTS (SELECT FROM hapax.sql_grant) AS used, i.*
FROM (SELECT) one LEFT JOIN (
  SELECT *
  FROM (
    SELECT p.*, count(*) OVER () AS candidates,
      sum(p.size) OVER (ORDER BY p.seq ROWS UNBOUNDED PRECEDING) - p.size AS before_it
    FROM (
      SELECT i.*
      FROM hapax.inbox i
      WHERE pg_visible_in_snapshot(
        i.xid, coalesce(nullif(?, '')::pg_snapshot, pg_current_snapshot())
      )
        AND (
          i.xid >= pg_snapshot_xmax(?::pg_snapshot)
            OR i.xid = ANY (ARRAY(SELECT pg_snapshot_xip(?::pg_snapshot)))
        ) AND (SELECT true FROM hapax.moved WHERE moved.workspace = i.workspace) IS NULL
        AND i.seq > ? AND i.verb <= 7
      ORDER BY i.seq
      LIMIT ?
    ) p
  ) s
  WHERE before_it < 4194304
) i ON true
ORDER BY i.seq;

-- find
SELECT set_config('hapax.scope', ?, false);
select k.n, one.workspace, one.id, one.verb, one.role, one.posted_at, one.tries, one.not_before,
  one.taken_at, one.disposition, one.signal_disposition, one.run_id, one.owner_id, one.reason,
  one.detail
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
  lateral (
    select hapax.inbox.workspace, hapax.inbox.id, hapax.inbox.verb, hapax.inbox.role,
      hapax.inbox.posted_at, hapax.inbox.tries, hapax.inbox.not_before,
      cast(null as timestamp(6) with time zone) as taken_at,
      cast(null as varchar(16)) as disposition, cast(null as varchar(16)) as signal_disposition,
      cast(null as uuid) as run_id, cast(null as uuid) as owner_id,
      cast(null as varchar(63)) as reason, cast(null as text) as detail
    from hapax.inbox
    where (hapax.inbox.workspace = k.workspace and hapax.inbox.id = k.id)
    union all
    select hapax.intent_outcome.workspace, hapax.intent_outcome.id, hapax.intent_outcome.verb,
      hapax.intent_outcome.role, hapax.intent_outcome.posted_at, hapax.intent_outcome.tries,
      cast(null as timestamp(6) with time zone) as not_before, hapax.intent_outcome.taken_at,
      hapax.intent_outcome.disposition, hapax.intent_outcome.signal_disposition,
      hapax.intent_outcome.run_id, hapax.intent_outcome.owner_id, hapax.intent_outcome.reason,
      hapax.intent_outcome.detail
    from hapax.intent_outcome
    where (hapax.intent_outcome.workspace = k.workspace and hapax.intent_outcome.id = k.id)
  ) as one
order by k.n;

-- taken
SELECT set_config('hapax.scope', ?, false);
select k.n, one.workspace
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
  lateral (
    select hapax.intent_outcome.workspace
    from hapax.intent_outcome
    where (hapax.intent_outcome.workspace = k.workspace and hapax.intent_outcome.id = k.id)
  ) as one
order by k.n;

-- list POSTED
SELECT set_config('hapax.scope', ?, false);
select i.workspace, i.id, i.verb, i.role, i.posted_at, i.tries, i.not_before, i.taken_at,
  i.disposition, i.signal_disposition, i.run_id, i.owner_id, i.reason, i.detail
from (
  select hapax.inbox.workspace, hapax.inbox.id, hapax.inbox.verb, hapax.inbox.role,
    hapax.inbox.posted_at, hapax.inbox.tries, hapax.inbox.not_before,
    cast(null as timestamp(6) with time zone) as taken_at, cast(null as varchar(16)) as disposition,
    cast(null as varchar(16)) as signal_disposition, cast(null as uuid) as run_id,
    cast(null as uuid) as owner_id, cast(null as varchar(63)) as reason,
    cast(null as text) as detail
  from hapax.inbox
  where hapax.inbox.workspace = ?
) as i
order by i.id
fetch next 51 rows only;

-- list POSTED behind
SELECT set_config('hapax.scope', ?, false);
select i.workspace, i.id, i.verb, i.role, i.posted_at, i.tries, i.not_before, i.taken_at,
  i.disposition, i.signal_disposition, i.run_id, i.owner_id, i.reason, i.detail
from (
  select hapax.inbox.workspace, hapax.inbox.id, hapax.inbox.verb, hapax.inbox.role,
    hapax.inbox.posted_at, hapax.inbox.tries, hapax.inbox.not_before,
    cast(null as timestamp(6) with time zone) as taken_at, cast(null as varchar(16)) as disposition,
    cast(null as varchar(16)) as signal_disposition, cast(null as uuid) as run_id,
    cast(null as uuid) as owner_id, cast(null as varchar(63)) as reason,
    cast(null as text) as detail
  from hapax.inbox
  where (hapax.inbox.workspace = ? and hapax.inbox.id > cast(? as uuid))
) as i
order by i.id
fetch next 51 rows only;

-- list FAILED
SELECT set_config('hapax.scope', ?, false);
select i.workspace, i.id, i.verb, i.role, i.posted_at, i.tries, i.not_before, i.taken_at,
  i.disposition, i.signal_disposition, i.run_id, i.owner_id, i.reason, i.detail
from (
  select hapax.intent_outcome.workspace, hapax.intent_outcome.id, hapax.intent_outcome.verb,
    hapax.intent_outcome.role, hapax.intent_outcome.posted_at, hapax.intent_outcome.tries,
    cast(null as timestamp(6) with time zone) as not_before, hapax.intent_outcome.taken_at,
    hapax.intent_outcome.disposition, hapax.intent_outcome.signal_disposition,
    hapax.intent_outcome.run_id, hapax.intent_outcome.owner_id, hapax.intent_outcome.reason,
    hapax.intent_outcome.detail
  from hapax.intent_outcome
  where (hapax.intent_outcome.workspace = ? and hapax.intent_outcome.reason is not null)
) as i
order by i.id desc
fetch next 51 rows only;

-- list FAILED behind
SELECT set_config('hapax.scope', ?, false);
select i.workspace, i.id, i.verb, i.role, i.posted_at, i.tries, i.not_before, i.taken_at,
  i.disposition, i.signal_disposition, i.run_id, i.owner_id, i.reason, i.detail
from (
  select hapax.intent_outcome.workspace, hapax.intent_outcome.id, hapax.intent_outcome.verb,
    hapax.intent_outcome.role, hapax.intent_outcome.posted_at, hapax.intent_outcome.tries,
    cast(null as timestamp(6) with time zone) as not_before, hapax.intent_outcome.taken_at,
    hapax.intent_outcome.disposition, hapax.intent_outcome.signal_disposition,
    hapax.intent_outcome.run_id, hapax.intent_outcome.owner_id, hapax.intent_outcome.reason,
    hapax.intent_outcome.detail
  from hapax.intent_outcome
  where (
    hapax.intent_outcome.workspace = ? and hapax.intent_outcome.reason is not null
      and hapax.intent_outcome.id < cast(? as uuid)
  )
) as i
order by i.id desc
fetch next 51 rows only;
