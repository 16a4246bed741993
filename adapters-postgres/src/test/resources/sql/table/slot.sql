-- insert
insert into hapax.slot (workspace, hash, turn, run_id)
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
select k.n, s.workspace, s.turn, s.run_id, s.counts, s.is_last
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "hash", "n"),
  lateral (
    select hapax.slot.workspace, hapax.slot.turn, hapax.slot.run_id,
      exists (
        select 1
        from hapax.run
        where (
          hapax.run.workspace = hapax.slot.workspace and hapax.run.id = hapax.slot.run_id
            and (
              (
                hapax.run.turn = hapax.slot.turn and hapax.run.phase in (1, 2)
                  and hapax.slot.hash = any (hapax.run.limit_hashes)
              )
                or (
                  hapax.run.definition_turn = hapax.slot.turn
                    and hapax.slot.hash = any (hapax.run.definition_hashes)
                )
            )
        )
        fetch next 1 rows only
      ) as counts, (lead(hapax.slot.turn) over (order by hapax.slot.turn) is null) as is_last
    from hapax.slot
    where (hapax.slot.workspace = k.workspace and hapax.slot.hash = k.hash)
  ) s
order by k.n, s.turn;

-- change
delete from hapax.slot
where (
  ctid = ANY (
    ARRAY(
      select found.ctid
      from unnest(?::varchar[], ?::uuid[], ?::int8[]) WITH ORDINALITY AS "u"(
        "workspace", "hash", "turn", "n"
      ),
        lateral (
          select ctid
          from hapax.slot
          where (
            hapax.slot.workspace = u.workspace and hapax.slot.hash = u.hash
              and hapax.slot.turn = u.turn
          )
          offset 0 rows
        ) as found
    )
  )
);
