-- insert
WITH w AS (
  insert into hapax.janitor_round (workspace, module, at, freed, complete, got_on)
  select u.workspace, u.module, to_timestamp(u.at / 1e6::float8), u.freed, u.complete,
    to_timestamp(u.got_on / 1e6::float8)
  from unnest(?::varchar[], ?::varchar[], ?::int8[], ?::int4[], ?::bool[], ?::int8[]) WITH ORDINALITY AS "u"(
    "workspace", "module", "at", "freed", "complete", "got_on", "n"
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'janitor_round');

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
  insert into hapax.janitor_round (workspace, module, at, freed, complete, got_on)
  select u.workspace, u.module, to_timestamp(u.at / 1e6::float8), u.freed, u.complete,
    to_timestamp(u.got_on / 1e6::float8)
  from unnest(?::varchar[], ?::varchar[], ?::int8[], ?::int4[], ?::bool[], ?::int8[]) WITH ORDINALITY AS "u"(
    "workspace", "module", "at", "freed", "complete", "got_on", "n"
  )
  on conflict (workspace, module)
  do update set workspace = excluded.workspace, module = excluded.module, at = excluded.at,
    freed = excluded.freed, complete = excluded.complete, got_on = excluded.got_on
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'janitor_round');
