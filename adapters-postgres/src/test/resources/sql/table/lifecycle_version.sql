-- insert
insert into hapax.lifecycle_version (workspace, name, version, document)
select u.workspace, u.name, u.version, u.document
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."name") AS "name",
    unnest(sent."version") AS "version", unnest(sent."document") AS "document"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "name", ?::int8[] AS "version",
      ?::varchar[] AS "document"
  ) sent
) AS "u";

-- lock; share
select counted.n, counted.workspace,
  case when before_it < 4194304 then counted.document end as document, before_it
from (
  select rows.n, rows.workspace, rows.document,
    cast(
      coalesce(
        sum(coalesce(octet_length(rows.document), 0)) over (
          order by rows.n rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, r.workspace, r.document
    from unnest(?::varchar[], ?::varchar[], ?::int8[]) WITH ORDINALITY AS "k"(
      "workspace", "name", "version", "n"
    ),
      lateral (
        select hapax.lifecycle_version.workspace, hapax.lifecycle_version.document
        from hapax.lifecycle_version
        where (
          hapax.lifecycle_version.workspace = k.workspace and hapax.lifecycle_version.name = k.name
            and hapax.lifecycle_version.version = k.version
        )
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;
