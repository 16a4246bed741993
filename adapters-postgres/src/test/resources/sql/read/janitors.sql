-- find
SELECT set_config('hapax.scope', ?, false);
select hapax.janitor.workspace, hapax.janitor.module, hapax.janitor.declared_at,
  hapax.janitor.declared_by, hapax.janitor.declared_by_principal, hapax.janitor.reason,
  hapax.janitor.contract, hapax.janitor.demands, hapax.janitor_round.at, hapax.janitor_round.freed,
  hapax.janitor_round.complete, hapax.janitor_round.got_on, clock_timestamp() as now
from hapax.janitor
left outer join hapax.janitor_round on (
  hapax.janitor_round.workspace = hapax.janitor.workspace
    and hapax.janitor_round.module = hapax.janitor.module
)
where (hapax.janitor.workspace = ? and hapax.janitor.module = ?);

-- list of all workspaces
select hapax.janitor.workspace, hapax.janitor.module, hapax.janitor.declared_at,
  hapax.janitor.declared_by, hapax.janitor.declared_by_principal, hapax.janitor.reason,
  hapax.janitor.contract, hapax.janitor.demands, hapax.janitor_round.at, hapax.janitor_round.freed,
  hapax.janitor_round.complete, hapax.janitor_round.got_on, clock_timestamp() as now
from hapax.janitor
left outer join hapax.janitor_round on (
  hapax.janitor_round.workspace = hapax.janitor.workspace
    and hapax.janitor_round.module = hapax.janitor.module
)
where ((SELECT true FROM hapax.moved WHERE moved.workspace = janitor.workspace) IS NULL)
order by hapax.janitor.workspace, hapax.janitor.module;

-- list
SELECT set_config('hapax.scope', ?, false);
select counted.place, counted.workspace, counted.module, counted.declared_at, counted.declared_by,
  counted.declared_by_principal, counted.reason,
  case when before_it < 4194304 then counted.contract end as contract,
  case when before_it < 4194304 then counted.demands end as demands, counted.at, counted.freed,
  counted.complete, counted.got_on, counted.now, before_it
from (
  select rows.place, rows.workspace, rows.module, rows.declared_at, rows.declared_by,
    rows.declared_by_principal, rows.reason, rows.contract, rows.demands, rows.at, rows.freed,
    rows.complete, rows.got_on, rows.now,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.contract), 0) + coalesce(octet_length(rows.demands), 0))) over (
          order by rows.place rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by p.module) as place, p.workspace, p.module, p.declared_at,
      p.declared_by, p.declared_by_principal, p.reason, p.contract, p.demands, p.at, p.freed,
      p.complete, p.got_on, p.now
    from (
      select hapax.janitor.workspace, hapax.janitor.module, hapax.janitor.declared_at,
        hapax.janitor.declared_by, hapax.janitor.declared_by_principal, hapax.janitor.reason,
        hapax.janitor.contract, hapax.janitor.demands, hapax.janitor_round.at,
        hapax.janitor_round.freed, hapax.janitor_round.complete, hapax.janitor_round.got_on,
        clock_timestamp() as now
      from hapax.janitor
      left outer join hapax.janitor_round on (
        hapax.janitor_round.workspace = hapax.janitor.workspace
          and hapax.janitor_round.module = hapax.janitor.module
      )
      where hapax.janitor.workspace = ?
      order by hapax.janitor.module
      fetch next 51 rows only
    ) as p
  ) as rows
) as counted
order by place;

-- list behind
SELECT set_config('hapax.scope', ?, false);
select counted.place, counted.workspace, counted.module, counted.declared_at, counted.declared_by,
  counted.declared_by_principal, counted.reason,
  case when before_it < 4194304 then counted.contract end as contract,
  case when before_it < 4194304 then counted.demands end as demands, counted.at, counted.freed,
  counted.complete, counted.got_on, counted.now, before_it
from (
  select rows.place, rows.workspace, rows.module, rows.declared_at, rows.declared_by,
    rows.declared_by_principal, rows.reason, rows.contract, rows.demands, rows.at, rows.freed,
    rows.complete, rows.got_on, rows.now,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.contract), 0) + coalesce(octet_length(rows.demands), 0))) over (
          order by rows.place rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by p.module) as place, p.workspace, p.module, p.declared_at,
      p.declared_by, p.declared_by_principal, p.reason, p.contract, p.demands, p.at, p.freed,
      p.complete, p.got_on, p.now
    from (
      select hapax.janitor.workspace, hapax.janitor.module, hapax.janitor.declared_at,
        hapax.janitor.declared_by, hapax.janitor.declared_by_principal, hapax.janitor.reason,
        hapax.janitor.contract, hapax.janitor.demands, hapax.janitor_round.at,
        hapax.janitor_round.freed, hapax.janitor_round.complete, hapax.janitor_round.got_on,
        clock_timestamp() as now
      from hapax.janitor
      left outer join hapax.janitor_round on (
        hapax.janitor_round.workspace = hapax.janitor.workspace
          and hapax.janitor_round.module = hapax.janitor.module
      )
      where (hapax.janitor.workspace = ? and hapax.janitor.module > ?)
      order by hapax.janitor.module
      fetch next 51 rows only
    ) as p
  ) as rows
) as counted
order by place;

-- count
SELECT set_config('hapax.scope', ?, false);
select count(*)
from (
  select 1 as one from hapax.janitor where hapax.janitor.workspace = ? fetch next 1000 rows only
) as alias_83856595;
