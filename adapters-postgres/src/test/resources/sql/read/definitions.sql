-- latest
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select hapax.definition.version
from hapax.definition
where (hapax.definition.workspace = ? and hapax.definition.name = ?)
order by hapax.definition.registered_at desc, hapax.definition.version desc
fetch next 1 rows only;
select hapax.definition.registered_at, hapax.definition.steps, hapax.definition.timeout,
  hapax.definition.limits, hapax.definition.registered_by, hapax.definition.registered_by_principal,
  hapax.definition.reason
from hapax.definition
where (
  hapax.definition.workspace = ? and hapax.definition.name = ? and hapax.definition.version = ?
);

-- find
SELECT set_config('hapax.scope', ?, false);
select hapax.definition.registered_at, hapax.definition.steps, hapax.definition.timeout,
  hapax.definition.limits, hapax.definition.registered_by, hapax.definition.registered_by_principal,
  hapax.definition.reason
from hapax.definition
where (
  hapax.definition.workspace = ? and hapax.definition.name = ? and hapax.definition.version = ?
);

-- list
SELECT set_config('hapax.scope', ?, false);
select counted.place, counted.workspace, counted.name, counted.version, counted.registered_at,
  counted.registered_by, counted.registered_by_principal, counted.reason,
  case when before_it < 4194304 then counted.steps end as steps, counted.timeout, counted.limits,
  before_it
from (
  select rows.place, rows.workspace, rows.name, rows.version, rows.registered_at,
    rows.registered_by, rows.registered_by_principal, rows.reason, rows.steps, rows.timeout,
    rows.limits,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.steps), 0)) over (
          order by rows.place rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by d.registered_at desc, d.name desc, d.version desc) as place,
      d.workspace, d.name, d.version, d.registered_at, d.registered_by, d.registered_by_principal,
      d.reason, d.steps, d.timeout, d.limits
    from (
      select hapax.definition.workspace, hapax.definition.name, hapax.definition.version,
        hapax.definition.registered_at, hapax.definition.registered_by,
        hapax.definition.registered_by_principal, hapax.definition.reason, hapax.definition.steps,
        hapax.definition.timeout, hapax.definition.limits
      from hapax.definition
      where hapax.definition.workspace = ?
      order by definition.registered_at desc, definition.name desc, definition.version desc
      fetch next 51 rows only
    ) as d
  ) as rows
) as counted
order by place;

-- list by name
SELECT set_config('hapax.scope', ?, false);
select counted.place, counted.workspace, counted.name, counted.version, counted.registered_at,
  counted.registered_by, counted.registered_by_principal, counted.reason,
  case when before_it < 4194304 then counted.steps end as steps, counted.timeout, counted.limits,
  before_it
from (
  select rows.place, rows.workspace, rows.name, rows.version, rows.registered_at,
    rows.registered_by, rows.registered_by_principal, rows.reason, rows.steps, rows.timeout,
    rows.limits,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.steps), 0)) over (
          order by rows.place rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by d.registered_at desc, d.name desc, d.version desc) as place,
      d.workspace, d.name, d.version, d.registered_at, d.registered_by, d.registered_by_principal,
      d.reason, d.steps, d.timeout, d.limits
    from (
      select hapax.definition.workspace, hapax.definition.name, hapax.definition.version,
        hapax.definition.registered_at, hapax.definition.registered_by,
        hapax.definition.registered_by_principal, hapax.definition.reason, hapax.definition.steps,
        hapax.definition.timeout, hapax.definition.limits
      from hapax.definition
      where (hapax.definition.workspace = ? and hapax.definition.name = ?)
      order by definition.registered_at desc, definition.name desc, definition.version desc
      fetch next 51 rows only
    ) as d
  ) as rows
) as counted
order by place;

-- list behind
SELECT set_config('hapax.scope', ?, false);
select counted.place, counted.workspace, counted.name, counted.version, counted.registered_at,
  counted.registered_by, counted.registered_by_principal, counted.reason,
  case when before_it < 4194304 then counted.steps end as steps, counted.timeout, counted.limits,
  before_it
from (
  select rows.place, rows.workspace, rows.name, rows.version, rows.registered_at,
    rows.registered_by, rows.registered_by_principal, rows.reason, rows.steps, rows.timeout,
    rows.limits,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.steps), 0)) over (
          order by rows.place rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by d.registered_at desc, d.name desc, d.version desc) as place,
      d.workspace, d.name, d.version, d.registered_at, d.registered_by, d.registered_by_principal,
      d.reason, d.steps, d.timeout, d.limits
    from (
      select hapax.definition.workspace, hapax.definition.name, hapax.definition.version,
        hapax.definition.registered_at, hapax.definition.registered_by,
        hapax.definition.registered_by_principal, hapax.definition.reason, hapax.definition.steps,
        hapax.definition.timeout, hapax.definition.limits
      from hapax.definition
      where (
        hapax.definition.workspace = ?
          and (hapax.definition.registered_at, hapax.definition.name, hapax.definition.version) < (
            cast(? as timestamp(6) with time zone), ?, ?
          )
      )
      order by definition.registered_at desc, definition.name desc, definition.version desc
      fetch next 51 rows only
    ) as d
  ) as rows
) as counted
order by place;
