-- insert
insert into hapax.lifecycle (
  workspace, name, version, applied_at, applied_by, applied_by_principal, reason, retiring,
    retiring_nonce, retiring_until
)
select u.workspace, u.name, u.version, to_timestamp(u.applied_at / 1e6::float8), u.applied_by,
  u.applied_by_principal, u.reason, u.retiring, u.retiring_nonce,
  to_timestamp(u.retiring_until / 1e6::float8)
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."name") AS "name",
    unnest(sent."version") AS "version", unnest(sent."applied_at") AS "applied_at",
    unnest(sent."applied_by") AS "applied_by",
    unnest(sent."applied_by_principal") AS "applied_by_principal",
    unnest(sent."reason") AS "reason", unnest(sent."retiring") AS "retiring",
    unnest(sent."retiring_nonce") AS "retiring_nonce",
    unnest(sent."retiring_until") AS "retiring_until"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "name", ?::int8[] AS "version",
      ?::int8[] AS "applied_at", ?::varchar[] AS "applied_by",
      ?::varchar[] AS "applied_by_principal", ?::varchar[] AS "reason", ?::varchar[] AS "retiring",
      ?::int8[] AS "retiring_nonce", ?::int8[] AS "retiring_until"
  ) sent
) AS "u";

-- lock
select pg_advisory_xact_lock(k.hash) from unnest(?::int8[]) WITH ORDINALITY AS "k"("hash", "n");
select k.n, one.workspace, one.version, one.applied_at, one.applied_by, one.applied_by_principal,
  one.reason, one.retiring, one.retiring_nonce, one.retiring_until
from unnest(?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"("workspace", "name", "n"),
  lateral (
    select hapax.lifecycle.workspace, hapax.lifecycle.version, hapax.lifecycle.applied_at,
      hapax.lifecycle.applied_by, hapax.lifecycle.applied_by_principal, hapax.lifecycle.reason,
      hapax.lifecycle.retiring, hapax.lifecycle.retiring_nonce, hapax.lifecycle.retiring_until
    from hapax.lifecycle
    where (hapax.lifecycle.workspace = k.workspace and hapax.lifecycle.name = k.name)
    for update
  ) as one
order by k.n;

-- share
select pg_advisory_xact_lock_shared(k.hash)
from unnest(?::int8[]) WITH ORDINALITY AS "k"("hash", "n");
select k.n, one.workspace, one.version, one.applied_at, one.applied_by, one.applied_by_principal,
  one.reason, one.retiring, one.retiring_nonce, one.retiring_until
from unnest(?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"("workspace", "name", "n"),
  lateral (
    select hapax.lifecycle.workspace, hapax.lifecycle.version, hapax.lifecycle.applied_at,
      hapax.lifecycle.applied_by, hapax.lifecycle.applied_by_principal, hapax.lifecycle.reason,
      hapax.lifecycle.retiring, hapax.lifecycle.retiring_nonce, hapax.lifecycle.retiring_until
    from hapax.lifecycle
    where (hapax.lifecycle.workspace = k.workspace and hapax.lifecycle.name = k.name)
    fetch next 1 rows only
  ) as one
order by k.n;

-- change
WITH w AS (
  update hapax.lifecycle
  set version = u.version, applied_at = to_timestamp(u.applied_at / 1e6::float8),
    applied_by = u.applied_by, applied_by_principal = u.applied_by_principal, reason = u.reason,
    retiring = u.retiring, retiring_nonce = u.retiring_nonce,
    retiring_until = to_timestamp(u.retiring_until / 1e6::float8)
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."name") AS "name",
      unnest(sent."version") AS "version", unnest(sent."applied_at") AS "applied_at",
      unnest(sent."applied_by") AS "applied_by",
      unnest(sent."applied_by_principal") AS "applied_by_principal",
      unnest(sent."reason") AS "reason", unnest(sent."retiring") AS "retiring",
      unnest(sent."retiring_nonce") AS "retiring_nonce",
      unnest(sent."retiring_until") AS "retiring_until"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "name", ?::int8[] AS "version",
        ?::int8[] AS "applied_at", ?::varchar[] AS "applied_by",
        ?::varchar[] AS "applied_by_principal", ?::varchar[] AS "reason",
        ?::varchar[] AS "retiring", ?::int8[] AS "retiring_nonce", ?::int8[] AS "retiring_until"
    ) sent
  ) AS "u"
  where (
    (hapax.lifecycle.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.lifecycle.name = ANY (ARRAY[u.name])) and hapax.lifecycle.version <= u.version
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'lifecycle');
