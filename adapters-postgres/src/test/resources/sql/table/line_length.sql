-- lock; share
select k.n, one.workspace, one.last_turn, one.counted
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.hook.workspace, hapax.hook.last_turn,
      (
        select count(*)
        from (
          select 1
          from hapax.place,
            lateral (
              select 1
              from hapax.run
              where (
                hapax.run.workspace = hapax.place.workspace and hapax.run.id = hapax.place.run_id
                  and hapax.run.turn = hapax.place.turn and hapax.run.phase = 0
                  and (
                    hapax.run.limit_hashes is null
                      or hapax.place.hash = any (hapax.run.limit_hashes)
                  )
              )
              fetch next 1 rows only
            ) w
          where (hapax.place.workspace = k.workspace and hapax.place.hash = k.hash)
          fetch next 10000 rows only
        ) as p
      ) as counted
    from hapax.hook
    where (
      hapax.hook.workspace = k.workspace and hapax.hook.hash = k.hash
        and hapax.hook.last_turn is not null
    )
    fetch next 1 rows only
  ) as one
order by k.n;
