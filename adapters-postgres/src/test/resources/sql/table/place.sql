-- insert
insert into hapax.place (workspace, hash, turn, run_id)
select u.workspace, u.hash, u.turn, u.run_id
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."hash") AS "hash",
    unnest(sent."turn") AS "turn", unnest(sent."run_id") AS "run_id"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "hash", ?::int8[] AS "turn",
      ?::uuid[] AS "run_id"
  ) sent
) AS "u";

-- lock; share
select k.n, p.workspace, p.turn, p.run_id
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.place.workspace, hapax.place.turn, hapax.place.run_id
    from hapax.place,
      lateral (
        select 1
        from hapax.run
        where (
          hapax.run.workspace = hapax.place.workspace and hapax.run.id = hapax.place.run_id
            and hapax.run.turn = hapax.place.turn and hapax.run.phase = 0
            and (hapax.run.limit_hashes is null or hapax.place.hash = any (hapax.run.limit_hashes))
        )
        fetch next 1 rows only
      ) w
    where (hapax.place.workspace = k.workspace and hapax.place.hash = k.hash)
    order by hapax.place.turn
    fetch next 17 rows only
  ) p
order by k.n, p.turn;

-- change
delete from hapax.place
where (
  ctid = ANY (
    ARRAY(
      select found.ctid
      from unnest(?::varchar[], ?::uuid[], ?::int8[]) WITH ORDINALITY AS "u"(
        "workspace", "hash", "turn", "n"
      ),
        lateral (
          select ctid
          from hapax.place
          where (
            hapax.place.workspace = u.workspace and hapax.place.hash = u.hash
              and hapax.place.turn <= u.turn
          )
          offset 0 rows
        ) as found
    )
  )
);
