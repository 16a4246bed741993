-- insert
insert into hapax.operation (
  workspace, id, state, attempt, nonce, fence, started_at, expires_at, fingerprint,
    account_changing, account, operation, request_id, failure_code, failure_message, resolution_id,
    resolution, resolution_actor, resolution_principal, resolution_fence, earlier_failures,
    earlier_resolutions, until, attempt_id, hold, failure_json, failure_bytes
)
select u.workspace, u.id, u.state, u.attempt, u.nonce, u.fence,
  to_timestamp(u.started_at / 1e6::float8), to_timestamp(u.expires_at / 1e6::float8), u.fingerprint,
  u.account_changing, u.account, u.operation, u.request_id, u.failure_code, u.failure_message,
  u.resolution_id, u.resolution, u.resolution_actor, u.resolution_principal, u.resolution_fence,
  u.earlier_failures, u.earlier_resolutions, to_timestamp(u.until / 1e6::float8), u.attempt_id,
  u.hold, u.failure_json, u.failure_bytes
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
    unnest(sent."state") AS "state", unnest(sent."attempt") AS "attempt",
    unnest(sent."nonce") AS "nonce", unnest(sent."fence") AS "fence",
    unnest(sent."started_at") AS "started_at", unnest(sent."expires_at") AS "expires_at",
    unnest(sent."fingerprint") AS "fingerprint",
    unnest(sent."account_changing") AS "account_changing", unnest(sent."account") AS "account",
    unnest(sent."operation") AS "operation", unnest(sent."request_id") AS "request_id",
    unnest(sent."failure_code") AS "failure_code",
    unnest(sent."failure_message") AS "failure_message",
    unnest(sent."resolution_id") AS "resolution_id", unnest(sent."resolution") AS "resolution",
    unnest(sent."resolution_actor") AS "resolution_actor",
    unnest(sent."resolution_principal") AS "resolution_principal",
    unnest(sent."resolution_fence") AS "resolution_fence",
    unnest(sent."earlier_failures") AS "earlier_failures",
    unnest(sent."earlier_resolutions") AS "earlier_resolutions", unnest(sent."until") AS "until",
    unnest(sent."attempt_id") AS "attempt_id", unnest(sent."hold") AS "hold",
    unnest(sent."failure_json") AS "failure_json", unnest(sent."failure_bytes") AS "failure_bytes"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::int2[] AS "state",
      ?::int4[] AS "attempt", ?::int8[] AS "nonce", ?::int8[] AS "fence", ?::int8[] AS "started_at",
      ?::int8[] AS "expires_at", ?::uuid[] AS "fingerprint", ?::bool[] AS "account_changing",
      ?::varchar[] AS "account", ?::varchar[] AS "operation", ?::varchar[] AS "request_id",
      ?::varchar[] AS "failure_code", ?::varchar[] AS "failure_message",
      ?::varchar[] AS "resolution_id", ?::varchar[] AS "resolution",
      ?::varchar[] AS "resolution_actor", ?::varchar[] AS "resolution_principal",
      ?::int8[] AS "resolution_fence", ?::bytea[] AS "earlier_failures",
      ?::bytea[] AS "earlier_resolutions", ?::int8[] AS "until", ?::uuid[] AS "attempt_id",
      ?::bool[] AS "hold", ?::varchar[] AS "failure_json", ?::bytea[] AS "failure_bytes"
  ) sent
) AS "u"
returning hapax.operation.id, operation.xmin as writer;

-- change
insert into hapax.operation_result (
  workspace, id, state, attempt, nonce, fence, started_at, expires_at, fingerprint,
    account_changing, account, operation, request_id, failure_code, failure_message, resolution_id,
    resolution, resolution_actor, resolution_principal, resolution_fence, earlier_failures,
    earlier_resolutions, purge_on, ended_at, account_after, json, bytes
)
select u.workspace, u.id, u.state, u.attempt, u.nonce, u.fence,
  to_timestamp(u.started_at / 1e6::float8), to_timestamp(u.expires_at / 1e6::float8), u.fingerprint,
  u.account_changing, u.account, u.operation, u.request_id, u.failure_code, u.failure_message,
  u.resolution_id, u.resolution, u.resolution_actor, u.resolution_principal, u.resolution_fence,
  u.earlier_failures, u.earlier_resolutions, u.purge_on, to_timestamp(u.ended_at / 1e6::float8),
  u.account_after, u.json, u.bytes
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
    unnest(sent."state") AS "state", unnest(sent."attempt") AS "attempt",
    unnest(sent."nonce") AS "nonce", unnest(sent."fence") AS "fence",
    unnest(sent."started_at") AS "started_at", unnest(sent."expires_at") AS "expires_at",
    unnest(sent."fingerprint") AS "fingerprint",
    unnest(sent."account_changing") AS "account_changing", unnest(sent."account") AS "account",
    unnest(sent."operation") AS "operation", unnest(sent."request_id") AS "request_id",
    unnest(sent."failure_code") AS "failure_code",
    unnest(sent."failure_message") AS "failure_message",
    unnest(sent."resolution_id") AS "resolution_id", unnest(sent."resolution") AS "resolution",
    unnest(sent."resolution_actor") AS "resolution_actor",
    unnest(sent."resolution_principal") AS "resolution_principal",
    unnest(sent."resolution_fence") AS "resolution_fence",
    unnest(sent."earlier_failures") AS "earlier_failures",
    unnest(sent."earlier_resolutions") AS "earlier_resolutions",
    unnest(sent."purge_on") AS "purge_on", unnest(sent."ended_at") AS "ended_at",
    unnest(sent."account_after") AS "account_after", unnest(sent."json") AS "json",
    unnest(sent."bytes") AS "bytes"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::int2[] AS "state",
      ?::int4[] AS "attempt", ?::int8[] AS "nonce", ?::int8[] AS "fence", ?::int8[] AS "started_at",
      ?::int8[] AS "expires_at", ?::uuid[] AS "fingerprint", ?::bool[] AS "account_changing",
      ?::varchar[] AS "account", ?::varchar[] AS "operation", ?::varchar[] AS "request_id",
      ?::varchar[] AS "failure_code", ?::varchar[] AS "failure_message",
      ?::varchar[] AS "resolution_id", ?::varchar[] AS "resolution",
      ?::varchar[] AS "resolution_actor", ?::varchar[] AS "resolution_principal",
      ?::int8[] AS "resolution_fence", ?::bytea[] AS "earlier_failures",
      ?::bytea[] AS "earlier_resolutions", ?::date[] AS "purge_on", ?::int8[] AS "ended_at",
      ?::varchar[] AS "account_after", ?::varchar[] AS "json", ?::bytea[] AS "bytes"
  ) sent
) AS "u";
WITH w AS (
  delete from hapax.operation using (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id"
    FROM (SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id") sent
  ) AS "u"
  where (
    (hapax.operation.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.operation.id = ANY (ARRAY[u.id]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'operation');

-- verify
WITH w AS (
  select 1
  from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
    lateral (
      select hapax.operation_result.fence
      from hapax.operation_result
      where (
        hapax.operation_result.workspace = k.workspace and hapax.operation_result.id = k.id
          and hapax.operation_result.purge_on >= current_date
      )
      fetch next 1 rows only
    ) as r
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'operation_result');

-- lock; share
select k.n, o.workspace, o.state, o.attempt, o.nonce, o.fence, o.started_at, o.expires_at, o.until,
  o.fingerprint, o.attempt_id, o.account_changing, o.hold, o.account, o.claim_account, o.operation,
  o.request_id, o.resolution_id, o.resolution, o.resolution_actor, o.resolution_principal,
  o.resolution_fence, o.earlier_failures, o.earlier_resolutions, o.pending_intent, o.writer
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
  lateral (
    select hapax.operation.workspace, hapax.operation.state, hapax.operation.attempt,
      hapax.operation.nonce, hapax.operation.fence, hapax.operation.started_at,
      hapax.operation.expires_at, hapax.operation.until, hapax.operation.fingerprint,
      hapax.operation.attempt_id, hapax.operation.account_changing, hapax.operation.hold,
      hapax.operation.account, hapax.operation.claim_account, hapax.operation.operation,
      hapax.operation.request_id, hapax.operation.resolution_id, hapax.operation.resolution,
      hapax.operation.resolution_actor, hapax.operation.resolution_principal,
      hapax.operation.resolution_fence, hapax.operation.earlier_failures,
      hapax.operation.earlier_resolutions, hapax.operation.pending_intent, operation.xmin as writer
    from hapax.operation
    where (hapax.operation.workspace = k.workspace and hapax.operation.id = k.id)
    for update
  ) as o
order by k.n;

-- lookUp
select counted.n, counted.workspace, counted.fence, counted.nonce, counted.purge_on, counted.state,
  counted.attempt, counted.started_at, counted.ended_at, counted.expires_at, counted.fingerprint,
  counted.account_changing, counted.account, counted.claim_account, counted.account_after,
  counted.operation, counted.request_id, counted.failure_code, counted.failure_message,
  counted.resolution_id, counted.resolution, counted.resolution_actor, counted.resolution_principal,
  counted.resolution_fence, counted.earlier_failures, counted.earlier_resolutions,
  case when before_it < 4194304 then counted.json end as json,
  case when before_it < 4194304 then counted.bytes end as bytes, before_it
from (
  select rows.n, rows.workspace, rows.fence, rows.nonce, rows.purge_on, rows.state, rows.attempt,
    rows.started_at, rows.ended_at, rows.expires_at, rows.fingerprint, rows.account_changing,
    rows.account, rows.claim_account, rows.account_after, rows.operation, rows.request_id,
    rows.failure_code, rows.failure_message, rows.resolution_id, rows.resolution,
    rows.resolution_actor, rows.resolution_principal, rows.resolution_fence, rows.earlier_failures,
    rows.earlier_resolutions, rows.json, rows.bytes,
    cast(
      coalesce(
        sum((coalesce(octet_length(rows.json), 0) + coalesce(octet_length(rows.bytes), 0))) over (
          order by rows.n rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as before_it
  from (
    select k.n, r.workspace, r.fence, r.nonce, r.purge_on, r.state, r.attempt, r.started_at,
      r.ended_at, r.expires_at, r.fingerprint, r.account_changing, r.account, r.claim_account,
      r.account_after, r.operation, r.request_id, r.failure_code, r.failure_message,
      r.resolution_id, r.resolution, r.resolution_actor, r.resolution_principal, r.resolution_fence,
      r.earlier_failures, r.earlier_resolutions, r.json, r.bytes
    from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n"),
      lateral (
        select hapax.operation_result.workspace, hapax.operation_result.fence,
          hapax.operation_result.nonce, hapax.operation_result.purge_on,
          hapax.operation_result.state, hapax.operation_result.attempt,
          hapax.operation_result.started_at, hapax.operation_result.ended_at,
          hapax.operation_result.expires_at, hapax.operation_result.fingerprint,
          hapax.operation_result.account_changing, hapax.operation_result.account,
          hapax.operation_result.claim_account, hapax.operation_result.account_after,
          hapax.operation_result.operation, hapax.operation_result.request_id,
          hapax.operation_result.failure_code, hapax.operation_result.failure_message,
          hapax.operation_result.resolution_id, hapax.operation_result.resolution,
          hapax.operation_result.resolution_actor, hapax.operation_result.resolution_principal,
          hapax.operation_result.resolution_fence, hapax.operation_result.earlier_failures,
          hapax.operation_result.earlier_resolutions, hapax.operation_result.json,
          hapax.operation_result.bytes
        from hapax.operation_result
        where (
          hapax.operation_result.workspace = k.workspace and hapax.operation_result.id = k.id
            and hapax.operation_result.purge_on >= current_date
        )
        fetch next 1 rows only
      ) as r
  ) as rows
) as counted
order by n;

-- hold
WITH w AS (
  select u.writer
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
      unnest(sent."writer") AS "writer"
    FROM (SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::xid[] AS "writer") sent
  ) AS "u", hapax.operation
  where (
    (u.writer is null or u.writer = operation.xmin)
      and (hapax.operation.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.operation.id = ANY (ARRAY[u.id]))
  )
  for update of operation
)
SELECT hapax.expect(?, (SELECT count(writer) FROM w), 'operation');

-- change
WITH w AS (
  update hapax.operation
  set state = u.state, attempt = u.attempt, nonce = u.nonce, fence = u.fence,
    started_at = to_timestamp(u.started_at / 1e6::float8),
    expires_at = to_timestamp(u.expires_at / 1e6::float8), fingerprint = u.fingerprint,
    account_changing = u.account_changing, account = u.account, claim_account = u.claim_account,
    operation = u.operation, request_id = u.request_id, failure_code = u.failure_code,
    failure_message = u.failure_message, resolution_id = u.resolution_id, resolution = u.resolution,
    resolution_actor = u.resolution_actor, resolution_principal = u.resolution_principal,
    resolution_fence = u.resolution_fence, earlier_failures = u.earlier_failures,
    earlier_resolutions = u.earlier_resolutions, until = to_timestamp(u.until / 1e6::float8),
    attempt_id = u.attempt_id, hold = u.hold, failure_json = u.failure_json,
    failure_bytes = u.failure_bytes, pending_intent = cast(null as uuid)
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
      unnest(sent."writer") AS "writer", unnest(sent."state") AS "state",
      unnest(sent."attempt") AS "attempt", unnest(sent."nonce") AS "nonce",
      unnest(sent."fence") AS "fence", unnest(sent."started_at") AS "started_at",
      unnest(sent."expires_at") AS "expires_at", unnest(sent."fingerprint") AS "fingerprint",
      unnest(sent."account_changing") AS "account_changing", unnest(sent."account") AS "account",
      unnest(sent."claim_account") AS "claim_account", unnest(sent."operation") AS "operation",
      unnest(sent."request_id") AS "request_id", unnest(sent."failure_code") AS "failure_code",
      unnest(sent."failure_message") AS "failure_message",
      unnest(sent."resolution_id") AS "resolution_id", unnest(sent."resolution") AS "resolution",
      unnest(sent."resolution_actor") AS "resolution_actor",
      unnest(sent."resolution_principal") AS "resolution_principal",
      unnest(sent."resolution_fence") AS "resolution_fence",
      unnest(sent."earlier_failures") AS "earlier_failures",
      unnest(sent."earlier_resolutions") AS "earlier_resolutions", unnest(sent."until") AS "until",
      unnest(sent."attempt_id") AS "attempt_id", unnest(sent."hold") AS "hold",
      unnest(sent."failure_json") AS "failure_json", unnest(sent."failure_bytes") AS "failure_bytes"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::xid[] AS "writer",
        ?::int2[] AS "state", ?::int4[] AS "attempt", ?::int8[] AS "nonce", ?::int8[] AS "fence",
        ?::int8[] AS "started_at", ?::int8[] AS "expires_at", ?::uuid[] AS "fingerprint",
        ?::bool[] AS "account_changing", ?::varchar[] AS "account", ?::varchar[] AS "claim_account",
        ?::varchar[] AS "operation", ?::varchar[] AS "request_id", ?::varchar[] AS "failure_code",
        ?::varchar[] AS "failure_message", ?::varchar[] AS "resolution_id",
        ?::varchar[] AS "resolution", ?::varchar[] AS "resolution_actor",
        ?::varchar[] AS "resolution_principal", ?::int8[] AS "resolution_fence",
        ?::bytea[] AS "earlier_failures", ?::bytea[] AS "earlier_resolutions", ?::int8[] AS "until",
        ?::uuid[] AS "attempt_id", ?::bool[] AS "hold", ?::varchar[] AS "failure_json",
        ?::bytea[] AS "failure_bytes"
    ) sent
  ) AS "u"
  where (
    operation.xmin = u.writer and (hapax.operation.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.operation.id = ANY (ARRAY[u.id]))
  )
  returning hapax.operation.id, operation.xmin as writer
)
SELECT guard.expected, w.*
FROM (SELECT hapax.expect(?, (SELECT count(*) FROM w), 'operation') AS expected) guard LEFT JOIN w ON true;
WITH w AS (
  delete from hapax.operation using (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
      unnest(sent."writer") AS "writer"
    FROM (SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::xid[] AS "writer") sent
  ) AS "u"
  where (
    operation.xmin = u.writer and (hapax.operation.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.operation.id = ANY (ARRAY[u.id]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'operation');
insert into hapax.operation_result (
  workspace, id, state, attempt, nonce, fence, started_at, expires_at, fingerprint,
    account_changing, account, operation, request_id, failure_code, failure_message, resolution_id,
    resolution, resolution_actor, resolution_principal, resolution_fence, earlier_failures,
    earlier_resolutions, purge_on, ended_at, account_after, json, bytes
)
select u.workspace, u.id, u.state, u.attempt, u.nonce, u.fence,
  to_timestamp(u.started_at / 1e6::float8), to_timestamp(u.expires_at / 1e6::float8), u.fingerprint,
  u.account_changing, u.account, u.operation, u.request_id, u.failure_code, u.failure_message,
  u.resolution_id, u.resolution, u.resolution_actor, u.resolution_principal, u.resolution_fence,
  u.earlier_failures, u.earlier_resolutions, u.purge_on, to_timestamp(u.ended_at / 1e6::float8),
  u.account_after, u.json, u.bytes
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id",
    unnest(sent."state") AS "state", unnest(sent."attempt") AS "attempt",
    unnest(sent."nonce") AS "nonce", unnest(sent."fence") AS "fence",
    unnest(sent."started_at") AS "started_at", unnest(sent."expires_at") AS "expires_at",
    unnest(sent."fingerprint") AS "fingerprint",
    unnest(sent."account_changing") AS "account_changing", unnest(sent."account") AS "account",
    unnest(sent."operation") AS "operation", unnest(sent."request_id") AS "request_id",
    unnest(sent."failure_code") AS "failure_code",
    unnest(sent."failure_message") AS "failure_message",
    unnest(sent."resolution_id") AS "resolution_id", unnest(sent."resolution") AS "resolution",
    unnest(sent."resolution_actor") AS "resolution_actor",
    unnest(sent."resolution_principal") AS "resolution_principal",
    unnest(sent."resolution_fence") AS "resolution_fence",
    unnest(sent."earlier_failures") AS "earlier_failures",
    unnest(sent."earlier_resolutions") AS "earlier_resolutions",
    unnest(sent."purge_on") AS "purge_on", unnest(sent."ended_at") AS "ended_at",
    unnest(sent."account_after") AS "account_after", unnest(sent."json") AS "json",
    unnest(sent."bytes") AS "bytes"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id", ?::int2[] AS "state",
      ?::int4[] AS "attempt", ?::int8[] AS "nonce", ?::int8[] AS "fence", ?::int8[] AS "started_at",
      ?::int8[] AS "expires_at", ?::uuid[] AS "fingerprint", ?::bool[] AS "account_changing",
      ?::varchar[] AS "account", ?::varchar[] AS "operation", ?::varchar[] AS "request_id",
      ?::varchar[] AS "failure_code", ?::varchar[] AS "failure_message",
      ?::varchar[] AS "resolution_id", ?::varchar[] AS "resolution",
      ?::varchar[] AS "resolution_actor", ?::varchar[] AS "resolution_principal",
      ?::int8[] AS "resolution_fence", ?::bytea[] AS "earlier_failures",
      ?::bytea[] AS "earlier_resolutions", ?::date[] AS "purge_on", ?::int8[] AS "ended_at",
      ?::varchar[] AS "account_after", ?::varchar[] AS "json", ?::bytea[] AS "bytes"
  ) sent
) AS "u";
WITH w AS (
  delete from hapax.operation using (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."id") AS "id"
    FROM (SELECT ?::varchar[] AS "workspace", ?::uuid[] AS "id") sent
  ) AS "u"
  where (
    (hapax.operation.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.operation.id = ANY (ARRAY[u.id]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'operation');
WITH w AS (
  delete from hapax.operation_result
  where (
    (
      ctid = ANY (
        ARRAY(
          select found.ctid
          from unnest(?::varchar[], ?::uuid[], ?::int8[]) WITH ORDINALITY AS "d"(
            "workspace", "id", "was_fence", "n"
          ),
            lateral (
              select ctid
              from hapax.operation_result
              where (
                hapax.operation_result.workspace = d.workspace and hapax.operation_result.id = d.id
                  and hapax.operation_result.purge_on >= current_date
                  and hapax.operation_result.fence = d.was_fence
              )
              offset 0 rows
            ) as found
        )
      )
    )
      and exists (
        select 1 as one
        from unnest(?::varchar[], ?::uuid[], ?::int8[]) WITH ORDINALITY AS "d"(
          "workspace", "id", "was_fence", "n"
        )
        where (
          hapax.operation_result.workspace = d.workspace and hapax.operation_result.id = d.id
            and hapax.operation_result.purge_on >= current_date
            and hapax.operation_result.fence = d.was_fence
        )
      )
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'operation_result');
