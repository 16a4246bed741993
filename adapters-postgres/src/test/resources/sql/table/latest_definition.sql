-- lock; share
select k.n, one.workspace, one.version, one.registered_at
from unnest(?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"("workspace", "name", "n"),
  lateral (
    select hapax.definition.workspace, hapax.definition.version, hapax.definition.registered_at
    from hapax.definition
    where (hapax.definition.workspace = k.workspace and hapax.definition.name = k.name)
    order by hapax.definition.registered_at desc, hapax.definition.version desc
    fetch next 1 rows only
  ) as one
order by k.n;
