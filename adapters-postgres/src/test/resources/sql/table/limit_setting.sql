-- insert
insert into hapax.limit_setting (
  workspace, name, key, of_definitions, max_running, set_at, set_by, set_by_principal, reason,
    max_starts, per
)
select u.workspace, u.name, u.key, u.of_definitions, u.max_running,
  to_timestamp(u.set_at / 1e6::float8), u.set_by, u.set_by_principal, u.reason, u.max_starts, u.per
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."name") AS "name",
    unnest(sent."key") AS "key", unnest(sent."of_definitions") AS "of_definitions",
    unnest(sent."max_running") AS "max_running", unnest(sent."set_at") AS "set_at",
    unnest(sent."set_by") AS "set_by", unnest(sent."set_by_principal") AS "set_by_principal",
    unnest(sent."reason") AS "reason", unnest(sent."max_starts") AS "max_starts",
    unnest(sent."per") AS "per"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "name", ?::varchar[] AS "key",
      ?::bool[] AS "of_definitions", ?::int4[] AS "max_running", ?::int8[] AS "set_at",
      ?::varchar[] AS "set_by", ?::varchar[] AS "set_by_principal", ?::varchar[] AS "reason",
      ?::int4[] AS "max_starts", ?::int8[] AS "per"
  ) sent
) AS "u";

-- lock
select pg_advisory_xact_lock(k.hash) from unnest(?::int8[]) WITH ORDINALITY AS "k"("hash", "n");
select k.n, one.workspace, one.max_running, one.set_at, one.set_by, one.set_by_principal,
  one.reason, one.max_starts, one.per
from unnest(?::varchar[], ?::varchar[], ?::varchar[], ?::bool[]) WITH ORDINALITY AS "k"(
  "workspace", "name", "key", "of_definitions", "n"
),
  lateral (
    select hapax.limit_setting.workspace, hapax.limit_setting.max_running,
      hapax.limit_setting.set_at, hapax.limit_setting.set_by, hapax.limit_setting.set_by_principal,
      hapax.limit_setting.reason, hapax.limit_setting.max_starts, hapax.limit_setting.per
    from hapax.limit_setting
    where (
      hapax.limit_setting.workspace = k.workspace and hapax.limit_setting.name = k.name
        and hapax.limit_setting.key = k.key
        and hapax.limit_setting.of_definitions = k.of_definitions
    )
    for update
  ) as one
order by k.n;

-- share
select pg_advisory_xact_lock_shared(k.hash)
from unnest(?::int8[]) WITH ORDINALITY AS "k"("hash", "n");
select k.n, one.workspace, one.max_running, one.set_at, one.set_by, one.set_by_principal,
  one.reason, one.max_starts, one.per
from unnest(?::varchar[], ?::varchar[], ?::varchar[], ?::bool[]) WITH ORDINALITY AS "k"(
  "workspace", "name", "key", "of_definitions", "n"
),
  lateral (
    select hapax.limit_setting.workspace, hapax.limit_setting.max_running,
      hapax.limit_setting.set_at, hapax.limit_setting.set_by, hapax.limit_setting.set_by_principal,
      hapax.limit_setting.reason, hapax.limit_setting.max_starts, hapax.limit_setting.per
    from hapax.limit_setting
    where (
      hapax.limit_setting.workspace = k.workspace and hapax.limit_setting.name = k.name
        and hapax.limit_setting.key = k.key
        and hapax.limit_setting.of_definitions = k.of_definitions
    )
    fetch next 1 rows only
  ) as one
order by k.n;

-- change
WITH w AS (
  update hapax.limit_setting
  set max_running = u.max_running, set_at = to_timestamp(u.set_at / 1e6::float8), set_by = u.set_by,
    set_by_principal = u.set_by_principal, reason = u.reason, max_starts = u.max_starts, per = u.per
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."name") AS "name",
      unnest(sent."key") AS "key", unnest(sent."of_definitions") AS "of_definitions",
      unnest(sent."max_running") AS "max_running", unnest(sent."set_at") AS "set_at",
      unnest(sent."set_by") AS "set_by", unnest(sent."set_by_principal") AS "set_by_principal",
      unnest(sent."reason") AS "reason", unnest(sent."max_starts") AS "max_starts",
      unnest(sent."per") AS "per"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "name", ?::varchar[] AS "key",
        ?::bool[] AS "of_definitions", ?::int4[] AS "max_running", ?::int8[] AS "set_at",
        ?::varchar[] AS "set_by", ?::varchar[] AS "set_by_principal", ?::varchar[] AS "reason",
        ?::int4[] AS "max_starts", ?::int8[] AS "per"
    ) sent
  ) AS "u"
  where (
    (hapax.limit_setting.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.limit_setting.name = ANY (ARRAY[u.name]))
      and (hapax.limit_setting.key = ANY (ARRAY[u.key]))
      and (hapax.limit_setting.of_definitions = ANY (ARRAY[u.of_definitions]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'limit_setting');
