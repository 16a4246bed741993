-- find
SELECT set_config('hapax.scope', ?, false);
select hapax.lifecycle.version, hapax.lifecycle.applied_at, hapax.lifecycle.applied_by,
  hapax.lifecycle.applied_by_principal, hapax.lifecycle.reason, hapax.lifecycle.retiring,
  hapax.lifecycle.retiring_nonce, hapax.lifecycle.retiring_until
from hapax.lifecycle
where (hapax.lifecycle.workspace = ? and hapax.lifecycle.name = ?);

-- list
SELECT set_config('hapax.scope', ?, false);
select counted.place, counted.name,
  case when before_it < 4194304 then counted.document end as document, counted.version,
  counted.applied_at, counted.applied_by, counted.applied_by_principal, counted.reason,
  counted.retiring, counted.retiring_nonce, counted.retiring_until, before_it
from (
  select rows.place, rows.name, rows.document, rows.version, rows.applied_at, rows.applied_by,
    rows.applied_by_principal, rows.reason, rows.retiring, rows.retiring_nonce, rows.retiring_until,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.document), 0)) over (
          order by rows.place rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by p.name) as place, p.name, p.document, p.version,
      p.applied_at, p.applied_by, p.applied_by_principal, p.reason, p.retiring, p.retiring_nonce,
      p.retiring_until
    from (
      select hapax.lifecycle.name, hapax.lifecycle_version.document, hapax.lifecycle.version,
        hapax.lifecycle.applied_at, hapax.lifecycle.applied_by,
        hapax.lifecycle.applied_by_principal, hapax.lifecycle.reason, hapax.lifecycle.retiring,
        hapax.lifecycle.retiring_nonce, hapax.lifecycle.retiring_until
      from hapax.lifecycle join hapax.lifecycle_version on (
        hapax.lifecycle_version.workspace = hapax.lifecycle.workspace
          and hapax.lifecycle_version.name = hapax.lifecycle.name
          and hapax.lifecycle_version.version = hapax.lifecycle.version
      )
      where hapax.lifecycle.workspace = ?
      order by hapax.lifecycle.name
      fetch next 51 rows only
    ) as p
  ) as rows
) as counted
order by place;

-- list behind
SELECT set_config('hapax.scope', ?, false);
select counted.place, counted.name,
  case when before_it < 4194304 then counted.document end as document, counted.version,
  counted.applied_at, counted.applied_by, counted.applied_by_principal, counted.reason,
  counted.retiring, counted.retiring_nonce, counted.retiring_until, before_it
from (
  select rows.place, rows.name, rows.document, rows.version, rows.applied_at, rows.applied_by,
    rows.applied_by_principal, rows.reason, rows.retiring, rows.retiring_nonce, rows.retiring_until,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.document), 0)) over (
          order by rows.place rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by p.name) as place, p.name, p.document, p.version,
      p.applied_at, p.applied_by, p.applied_by_principal, p.reason, p.retiring, p.retiring_nonce,
      p.retiring_until
    from (
      select hapax.lifecycle.name, hapax.lifecycle_version.document, hapax.lifecycle.version,
        hapax.lifecycle.applied_at, hapax.lifecycle.applied_by,
        hapax.lifecycle.applied_by_principal, hapax.lifecycle.reason, hapax.lifecycle.retiring,
        hapax.lifecycle.retiring_nonce, hapax.lifecycle.retiring_until
      from hapax.lifecycle join hapax.lifecycle_version on (
        hapax.lifecycle_version.workspace = hapax.lifecycle.workspace
          and hapax.lifecycle_version.name = hapax.lifecycle.name
          and hapax.lifecycle_version.version = hapax.lifecycle.version
      )
      where (hapax.lifecycle.workspace = ? and hapax.lifecycle.name > ?)
      order by hapax.lifecycle.name
      fetch next 51 rows only
    ) as p
  ) as rows
) as counted
order by place;

-- count
SELECT set_config('hapax.scope', ?, false);
select count(*)
from (
  select 1 as one from hapax.lifecycle where hapax.lifecycle.workspace = ? fetch next 1000 rows only
) as alias_86283933;
