-- insert
WITH w AS (
  insert into hapax.lifecycle (
    workspace, name, version, applied_at, applied_by, applied_by_principal, reason, retiring,
      retiring_nonce, retiring_until
  )
  select u.workspace, u.name, u.version, to_timestamp(u.applied_at / 1e6::float8), u.applied_by,
    u.applied_by_principal, u.reason, u.retiring, u.retiring_nonce,
    to_timestamp(u.retiring_until / 1e6::float8)
  from unnest(
    ?::varchar[], ?::varchar[], ?::int8[], ?::int8[], ?::varchar[], ?::varchar[], ?::varchar[],
      ?::varchar[], ?::int8[], ?::int8[]
  ) WITH ORDINALITY AS "u"(
    "workspace", "name", "version", "applied_at", "applied_by", "applied_by_principal", "reason",
      "retiring", "retiring_nonce", "retiring_until", "n"
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'lifecycle');

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
  ) as one
order by k.n;

-- change
WITH w AS (
  insert into hapax.lifecycle (
    workspace, name, version, applied_at, applied_by, applied_by_principal, reason, retiring,
      retiring_nonce, retiring_until
  )
  select u.workspace, u.name, u.version, to_timestamp(u.applied_at / 1e6::float8), u.applied_by,
    u.applied_by_principal, u.reason, u.retiring, u.retiring_nonce,
    to_timestamp(u.retiring_until / 1e6::float8)
  from unnest(
    ?::varchar[], ?::varchar[], ?::int8[], ?::int8[], ?::varchar[], ?::varchar[], ?::varchar[],
      ?::varchar[], ?::int8[], ?::int8[]
  ) WITH ORDINALITY AS "u"(
    "workspace", "name", "version", "applied_at", "applied_by", "applied_by_principal", "reason",
      "retiring", "retiring_nonce", "retiring_until", "n"
  )
  on conflict (workspace, name)
  do update set workspace = excluded.workspace, name = excluded.name, version = excluded.version,
    applied_at = excluded.applied_at, applied_by = excluded.applied_by,
    applied_by_principal = excluded.applied_by_principal, reason = excluded.reason,
    retiring = excluded.retiring, retiring_nonce = excluded.retiring_nonce,
    retiring_until = excluded.retiring_until
  where hapax.lifecycle.version <= excluded.version
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'lifecycle');
