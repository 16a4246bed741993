-- insert
insert into hapax.janitor (
  workspace, module, declared_at, declared_by, declared_by_principal, reason, contract, demands
)
select u.workspace, u.module, to_timestamp(u.declared_at / 1e6::float8), u.declared_by,
  u.declared_by_principal, u.reason, u.contract, u.demands
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."module") AS "module",
    unnest(sent."declared_at") AS "declared_at", unnest(sent."declared_by") AS "declared_by",
    unnest(sent."declared_by_principal") AS "declared_by_principal",
    unnest(sent."reason") AS "reason", unnest(sent."contract") AS "contract",
    unnest(sent."demands") AS "demands"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "module", ?::int8[] AS "declared_at",
      ?::varchar[] AS "declared_by", ?::varchar[] AS "declared_by_principal",
      ?::varchar[] AS "reason", ?::varchar[] AS "contract", ?::varchar[] AS "demands"
  ) sent
) AS "u";

-- lock
select pg_advisory_xact_lock(k.hash) from unnest(?::int8[]) WITH ORDINALITY AS "k"("hash", "n");
select k.n, one.workspace, one.declared_at, one.declared_by, one.declared_by_principal, one.reason,
  one.contract, one.demands
from unnest(?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"("workspace", "module", "n"),
  lateral (
    select hapax.janitor.workspace, hapax.janitor.declared_at, hapax.janitor.declared_by,
      hapax.janitor.declared_by_principal, hapax.janitor.reason, hapax.janitor.contract,
      hapax.janitor.demands
    from hapax.janitor
    where (hapax.janitor.workspace = k.workspace and hapax.janitor.module = k.module)
    for update
  ) as one
order by k.n;

-- share
select pg_advisory_xact_lock_shared(k.hash)
from unnest(?::int8[]) WITH ORDINALITY AS "k"("hash", "n");
select k.n, one.workspace, one.declared_at, one.declared_by, one.declared_by_principal, one.reason,
  one.contract, one.demands
from unnest(?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"("workspace", "module", "n"),
  lateral (
    select hapax.janitor.workspace, hapax.janitor.declared_at, hapax.janitor.declared_by,
      hapax.janitor.declared_by_principal, hapax.janitor.reason, hapax.janitor.contract,
      hapax.janitor.demands
    from hapax.janitor
    where (hapax.janitor.workspace = k.workspace and hapax.janitor.module = k.module)
    fetch next 1 rows only
  ) as one
order by k.n;

-- change
WITH w AS (
  update hapax.janitor
  set declared_at = to_timestamp(u.declared_at / 1e6::float8), declared_by = u.declared_by,
    declared_by_principal = u.declared_by_principal, reason = u.reason, contract = u.contract,
    demands = u.demands
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."module") AS "module",
      unnest(sent."declared_at") AS "declared_at", unnest(sent."declared_by") AS "declared_by",
      unnest(sent."declared_by_principal") AS "declared_by_principal",
      unnest(sent."reason") AS "reason", unnest(sent."contract") AS "contract",
      unnest(sent."demands") AS "demands"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "module", ?::int8[] AS "declared_at",
        ?::varchar[] AS "declared_by", ?::varchar[] AS "declared_by_principal",
        ?::varchar[] AS "reason", ?::varchar[] AS "contract", ?::varchar[] AS "demands"
    ) sent
  ) AS "u"
  where (
    (hapax.janitor.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.janitor.module = ANY (ARRAY[u.module]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'janitor');
