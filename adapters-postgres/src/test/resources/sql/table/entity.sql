-- insert
WITH w AS (
  insert into hapax.entity (
    workspace, lifecycle, id, created_at, version, fence, hold, status, ended_nonce, ended_version,
      ended, released, lease_until, since, nonce, attempt, module, step, requester, from_status,
      revert_to, to_status, action, effect, effect_definition, effect_version, holder,
      holder_principal, lost_fence, recovery_nonce, poll_id, worker, worker_principal,
      worker_principal_nonce
  )
  select u.workspace, u.lifecycle, u.id, to_timestamp(u.created_at / 1e6::float8), u.version,
    u.fence, u.hold, u.status, u.ended_nonce, u.ended_version, u.ended, u.released,
    to_timestamp(u.lease_until / 1e6::float8), to_timestamp(u.since / 1e6::float8), u.nonce,
    u.attempt, u.module, u.step, u.requester, u.from_status, u.revert_to, u.to_status, u.action,
    u.effect, u.effect_definition, u.effect_version, u.holder, u.holder_principal, u.lost_fence,
    u.recovery_nonce, u.poll_id, u.worker, u.worker_principal, u.worker_principal_nonce
  from unnest(
    ?::varchar[], ?::varchar[], ?::varchar[], ?::int8[], ?::int8[], ?::int8[], ?::int2[],
      ?::varchar[], ?::int8[], ?::int8[], ?::int2[], ?::varchar[], ?::int8[], ?::int8[], ?::int8[],
      ?::uuid[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[],
      ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::int8[],
      ?::int8[], ?::uuid[], ?::varchar[], ?::varchar[], ?::int8[]
  ) WITH ORDINALITY AS "u"(
    "workspace", "lifecycle", "id", "created_at", "version", "fence", "hold", "status",
      "ended_nonce", "ended_version", "ended", "released", "lease_until", "since", "nonce",
      "attempt", "module", "step", "requester", "from_status", "revert_to", "to_status", "action",
      "effect", "effect_definition", "effect_version", "holder", "holder_principal", "lost_fence",
      "recovery_nonce", "poll_id", "worker", "worker_principal", "worker_principal_nonce", "n"
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity');
WITH w AS (
  insert into hapax.entity_event (
    workspace, lifecycle, entity_id, version, at, type, kind, nonce, fence, attempt, poll_id,
      status, actor, principal, step, requester, from_status, revert_to, to_status, action, effect,
      effect_definition, effect_version, module, request_id, message, output_json, output_bytes
  )
  select u.workspace, u.lifecycle, u.entity_id, u.version, to_timestamp(u.at / 1e6::float8), u.type,
    u.kind, u.nonce, u.fence, u.attempt, u.poll_id, u.status, u.actor, u.principal, u.step,
    u.requester, u.from_status, u.revert_to, u.to_status, u.action, u.effect, u.effect_definition,
    u.effect_version, u.module, u.request_id, u.message, u.output_json, u.output_bytes
  from unnest(
    ?::varchar[], ?::varchar[], ?::varchar[], ?::int8[], ?::int8[], ?::int2[], ?::int2[], ?::int8[],
      ?::int8[], ?::uuid[], ?::uuid[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[],
      ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[],
      ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::bytea[]
  ) WITH ORDINALITY AS "u"(
    "workspace", "lifecycle", "entity_id", "version", "at", "type", "kind", "nonce", "fence",
      "attempt", "poll_id", "status", "actor", "principal", "step", "requester", "from_status",
      "revert_to", "to_status", "action", "effect", "effect_definition", "effect_version", "module",
      "request_id", "message", "output_json", "output_bytes", "n"
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity_event');

-- lock; share
select k.n, one.workspace, one.created_at, one.version, one.fence, one.ended_nonce,
  one.ended_version, one.lease_until, one.since, one.nonce, one.attempt, one.lost_fence,
  one.recovery_nonce, one.poll_id, one.hold, one.ended, one.status, one.module, one.step,
  one.requester, one.from_status, one.revert_to, one.to_status, one.action, one.effect, one.holder,
  one.worker, one.released, one.effect_definition, one.effect_version, one.holder_principal,
  one.pending_intent, one.worker_principal, one.worker_principal_nonce
from unnest(?::varchar[], ?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"(
  "workspace", "lifecycle", "id", "n"
),
  lateral (
    select hapax.entity.workspace, hapax.entity.created_at, hapax.entity.version,
      hapax.entity.fence, hapax.entity.ended_nonce, hapax.entity.ended_version,
      hapax.entity.lease_until, hapax.entity.since, hapax.entity.nonce, hapax.entity.attempt,
      hapax.entity.lost_fence, hapax.entity.recovery_nonce, hapax.entity.poll_id, hapax.entity.hold,
      hapax.entity.ended, hapax.entity.status, hapax.entity.module, hapax.entity.step,
      hapax.entity.requester, hapax.entity.from_status, hapax.entity.revert_to,
      hapax.entity.to_status, hapax.entity.action, hapax.entity.effect, hapax.entity.holder,
      hapax.entity.worker, hapax.entity.released, hapax.entity.effect_definition,
      hapax.entity.effect_version, hapax.entity.holder_principal, hapax.entity.pending_intent,
      hapax.entity.worker_principal, hapax.entity.worker_principal_nonce
    from hapax.entity
    where (
      hapax.entity.workspace = k.workspace and hapax.entity.lifecycle = k.lifecycle
        and hapax.entity.id = k.id
    )
    for update
  ) as one
order by k.n;

-- change
WITH w AS (
  delete from hapax.entity
  where (
    ctid = ANY (
      ARRAY(
        select found.ctid
        from unnest(?::varchar[], ?::varchar[], ?::varchar[], ?::int8[]) WITH ORDINALITY AS "d"(
          "workspace", "lifecycle", "id", "was_version", "n"
        ),
          lateral (
            select ctid
            from hapax.entity
            where (
              hapax.entity.workspace = d.workspace and hapax.entity.lifecycle = d.lifecycle
                and hapax.entity.id = d.id and hapax.entity.version = d.was_version
            )
            offset 0 rows
          ) as found
      )
    )
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity');
WITH w AS (
  insert into hapax.entity (
    workspace, lifecycle, id, created_at, version, fence, hold, status, ended_nonce, ended_version,
      ended, released
  )
  select u.workspace, u.lifecycle, u.id, to_timestamp(u.created_at / 1e6::float8), u.version,
    u.fence, u.hold, u.status, u.ended_nonce, u.ended_version, u.ended, u.released
  from unnest(
    ?::varchar[], ?::varchar[], ?::varchar[], ?::int8[], ?::int8[], ?::int8[], ?::int2[],
      ?::varchar[], ?::int8[], ?::int8[], ?::int2[], ?::varchar[]
  ) WITH ORDINALITY AS "u"(
    "workspace", "lifecycle", "id", "created_at", "version", "fence", "hold", "status",
      "ended_nonce", "ended_version", "ended", "released", "n"
  )
  on conflict (workspace, lifecycle, id)
  do update set created_at = excluded.created_at, version = excluded.version,
    fence = excluded.fence, ended_nonce = excluded.ended_nonce,
    ended_version = excluded.ended_version, lease_until = excluded.lease_until,
    since = excluded.since, nonce = excluded.nonce, attempt = excluded.attempt,
    lost_fence = excluded.lost_fence, recovery_nonce = excluded.recovery_nonce,
    poll_id = excluded.poll_id, hold = excluded.hold, ended = excluded.ended,
    status = excluded.status, module = excluded.module, step = excluded.step,
    requester = excluded.requester, from_status = excluded.from_status,
    revert_to = excluded.revert_to, to_status = excluded.to_status, action = excluded.action,
    effect = excluded.effect, holder = excluded.holder, worker = excluded.worker,
    released = excluded.released, effect_definition = excluded.effect_definition,
    effect_version = excluded.effect_version, holder_principal = excluded.holder_principal,
    pending_intent = excluded.pending_intent, worker_principal = excluded.worker_principal,
    worker_principal_nonce = excluded.worker_principal_nonce
  where hapax.entity.version <= excluded.version
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity');
WITH w AS (
  insert into hapax.entity (
    workspace, lifecycle, id, created_at, version, fence, hold, status, ended_nonce, ended_version,
      ended, released, lease_until, since, nonce, attempt, module, step, requester, from_status,
      revert_to, to_status, action, effect, effect_definition, effect_version, holder,
      holder_principal
  )
  select u.workspace, u.lifecycle, u.id, to_timestamp(u.created_at / 1e6::float8), u.version,
    u.fence, u.hold, u.status, u.ended_nonce, u.ended_version, u.ended, u.released,
    to_timestamp(u.lease_until / 1e6::float8), to_timestamp(u.since / 1e6::float8), u.nonce,
    u.attempt, u.module, u.step, u.requester, u.from_status, u.revert_to, u.to_status, u.action,
    u.effect, u.effect_definition, u.effect_version, u.holder, u.holder_principal
  from unnest(
    ?::varchar[], ?::varchar[], ?::varchar[], ?::int8[], ?::int8[], ?::int8[], ?::int2[],
      ?::varchar[], ?::int8[], ?::int8[], ?::int2[], ?::varchar[], ?::int8[], ?::int8[], ?::int8[],
      ?::uuid[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[],
      ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[]
  ) WITH ORDINALITY AS "u"(
    "workspace", "lifecycle", "id", "created_at", "version", "fence", "hold", "status",
      "ended_nonce", "ended_version", "ended", "released", "lease_until", "since", "nonce",
      "attempt", "module", "step", "requester", "from_status", "revert_to", "to_status", "action",
      "effect", "effect_definition", "effect_version", "holder", "holder_principal", "n"
  )
  on conflict (workspace, lifecycle, id)
  do update set created_at = excluded.created_at, version = excluded.version,
    fence = excluded.fence, ended_nonce = excluded.ended_nonce,
    ended_version = excluded.ended_version, lease_until = excluded.lease_until,
    since = excluded.since, nonce = excluded.nonce, attempt = excluded.attempt,
    lost_fence = excluded.lost_fence, recovery_nonce = excluded.recovery_nonce,
    poll_id = excluded.poll_id, hold = excluded.hold, ended = excluded.ended,
    status = excluded.status, module = excluded.module, step = excluded.step,
    requester = excluded.requester, from_status = excluded.from_status,
    revert_to = excluded.revert_to, to_status = excluded.to_status, action = excluded.action,
    effect = excluded.effect, holder = excluded.holder, worker = excluded.worker,
    released = excluded.released, effect_definition = excluded.effect_definition,
    effect_version = excluded.effect_version, holder_principal = excluded.holder_principal,
    pending_intent = excluded.pending_intent, worker_principal = excluded.worker_principal,
    worker_principal_nonce = excluded.worker_principal_nonce
  where hapax.entity.version <= excluded.version
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity');
WITH w AS (
  insert into hapax.entity (
    workspace, lifecycle, id, created_at, version, fence, hold, status, ended_nonce, ended_version,
      ended, released, lease_until, since, nonce, attempt, module, step, requester, from_status,
      revert_to, to_status, action, effect, effect_definition, effect_version, holder,
      holder_principal, lost_fence, recovery_nonce, poll_id, worker, worker_principal,
      worker_principal_nonce
  )
  select u.workspace, u.lifecycle, u.id, to_timestamp(u.created_at / 1e6::float8), u.version,
    u.fence, u.hold, u.status, u.ended_nonce, u.ended_version, u.ended, u.released,
    to_timestamp(u.lease_until / 1e6::float8), to_timestamp(u.since / 1e6::float8), u.nonce,
    u.attempt, u.module, u.step, u.requester, u.from_status, u.revert_to, u.to_status, u.action,
    u.effect, u.effect_definition, u.effect_version, u.holder, u.holder_principal, u.lost_fence,
    u.recovery_nonce, u.poll_id, u.worker, u.worker_principal, u.worker_principal_nonce
  from unnest(
    ?::varchar[], ?::varchar[], ?::varchar[], ?::int8[], ?::int8[], ?::int8[], ?::int2[],
      ?::varchar[], ?::int8[], ?::int8[], ?::int2[], ?::varchar[], ?::int8[], ?::int8[], ?::int8[],
      ?::uuid[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[],
      ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[], ?::int8[],
      ?::int8[], ?::uuid[], ?::varchar[], ?::varchar[], ?::int8[]
  ) WITH ORDINALITY AS "u"(
    "workspace", "lifecycle", "id", "created_at", "version", "fence", "hold", "status",
      "ended_nonce", "ended_version", "ended", "released", "lease_until", "since", "nonce",
      "attempt", "module", "step", "requester", "from_status", "revert_to", "to_status", "action",
      "effect", "effect_definition", "effect_version", "holder", "holder_principal", "lost_fence",
      "recovery_nonce", "poll_id", "worker", "worker_principal", "worker_principal_nonce", "n"
  )
  on conflict (workspace, lifecycle, id)
  do update set created_at = excluded.created_at, version = excluded.version,
    fence = excluded.fence, ended_nonce = excluded.ended_nonce,
    ended_version = excluded.ended_version, lease_until = excluded.lease_until,
    since = excluded.since, nonce = excluded.nonce, attempt = excluded.attempt,
    lost_fence = excluded.lost_fence, recovery_nonce = excluded.recovery_nonce,
    poll_id = excluded.poll_id, hold = excluded.hold, ended = excluded.ended,
    status = excluded.status, module = excluded.module, step = excluded.step,
    requester = excluded.requester, from_status = excluded.from_status,
    revert_to = excluded.revert_to, to_status = excluded.to_status, action = excluded.action,
    effect = excluded.effect, holder = excluded.holder, worker = excluded.worker,
    released = excluded.released, effect_definition = excluded.effect_definition,
    effect_version = excluded.effect_version, holder_principal = excluded.holder_principal,
    pending_intent = excluded.pending_intent, worker_principal = excluded.worker_principal,
    worker_principal_nonce = excluded.worker_principal_nonce
  where hapax.entity.version <= excluded.version
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity');
