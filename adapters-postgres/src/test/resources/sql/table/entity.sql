-- insert
insert into hapax.entity (
  workspace, lifecycle, id, created_at, version, fence, hold, status, ended_nonce, ended_version,
    ended, released, lease_until, since, nonce, attempt, module, step, requester, from_status,
    revert_to, to_status, action, effect, effect_definition, effect_version, holder,
    holder_principal, lost_fence, recovery_nonce, poll_id, worker, worker_principal
)
select u.workspace, u.lifecycle, u.id, to_timestamp(u.created_at / 1e6::float8), u.version, u.fence,
  u.hold, u.status, u.ended_nonce, u.ended_version, u.ended, u.released,
  to_timestamp(u.lease_until / 1e6::float8), to_timestamp(u.since / 1e6::float8), u.nonce,
  u.attempt, u.module, u.step, u.requester, u.from_status, u.revert_to, u.to_status, u.action,
  u.effect, u.effect_definition, u.effect_version, u.holder, u.holder_principal, u.lost_fence,
  u.recovery_nonce, u.poll_id, u.worker, u.worker_principal
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."lifecycle") AS "lifecycle",
    unnest(sent."id") AS "id", unnest(sent."created_at") AS "created_at",
    unnest(sent."version") AS "version", unnest(sent."fence") AS "fence",
    unnest(sent."hold") AS "hold", unnest(sent."status") AS "status",
    unnest(sent."ended_nonce") AS "ended_nonce", unnest(sent."ended_version") AS "ended_version",
    unnest(sent."ended") AS "ended", unnest(sent."released") AS "released",
    unnest(sent."lease_until") AS "lease_until", unnest(sent."since") AS "since",
    unnest(sent."nonce") AS "nonce", unnest(sent."attempt") AS "attempt",
    unnest(sent."module") AS "module", unnest(sent."step") AS "step",
    unnest(sent."requester") AS "requester", unnest(sent."from_status") AS "from_status",
    unnest(sent."revert_to") AS "revert_to", unnest(sent."to_status") AS "to_status",
    unnest(sent."action") AS "action", unnest(sent."effect") AS "effect",
    unnest(sent."effect_definition") AS "effect_definition",
    unnest(sent."effect_version") AS "effect_version", unnest(sent."holder") AS "holder",
    unnest(sent."holder_principal") AS "holder_principal",
    unnest(sent."lost_fence") AS "lost_fence", unnest(sent."recovery_nonce") AS "recovery_nonce",
    unnest(sent."poll_id") AS "poll_id", unnest(sent."worker") AS "worker",
    unnest(sent."worker_principal") AS "worker_principal"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "lifecycle", ?::varchar[] AS "id",
      ?::int8[] AS "created_at", ?::int8[] AS "version", ?::int8[] AS "fence", ?::int2[] AS "hold",
      ?::varchar[] AS "status", ?::int8[] AS "ended_nonce", ?::int8[] AS "ended_version",
      ?::int2[] AS "ended", ?::varchar[] AS "released", ?::int8[] AS "lease_until",
      ?::int8[] AS "since", ?::int8[] AS "nonce", ?::uuid[] AS "attempt", ?::varchar[] AS "module",
      ?::varchar[] AS "step", ?::varchar[] AS "requester", ?::varchar[] AS "from_status",
      ?::varchar[] AS "revert_to", ?::varchar[] AS "to_status", ?::varchar[] AS "action",
      ?::varchar[] AS "effect", ?::varchar[] AS "effect_definition",
      ?::varchar[] AS "effect_version", ?::varchar[] AS "holder",
      ?::varchar[] AS "holder_principal", ?::int8[] AS "lost_fence", ?::int8[] AS "recovery_nonce",
      ?::uuid[] AS "poll_id", ?::varchar[] AS "worker", ?::varchar[] AS "worker_principal"
  ) sent
) AS "u";

-- change
insert into hapax.entity_event (
  workspace, lifecycle, entity_id, version, at, type, kind, nonce, fence, attempt, poll_id, status,
    actor, principal, step, requester, from_status, revert_to, to_status, action, effect,
    effect_definition, effect_version, module, request_id, message, output_json, output_bytes
)
select u.workspace, u.lifecycle, u.entity_id, u.version, to_timestamp(u.at / 1e6::float8), u.type,
  u.kind, u.nonce, u.fence, u.attempt, u.poll_id, u.status, u.actor, u.principal, u.step,
  u.requester, u.from_status, u.revert_to, u.to_status, u.action, u.effect, u.effect_definition,
  u.effect_version, u.module, u.request_id, u.message, u.output_json, u.output_bytes
from (
  SELECT unnest(sent."workspace") AS "workspace", unnest(sent."lifecycle") AS "lifecycle",
    unnest(sent."entity_id") AS "entity_id", unnest(sent."version") AS "version",
    unnest(sent."at") AS "at", unnest(sent."type") AS "type", unnest(sent."kind") AS "kind",
    unnest(sent."nonce") AS "nonce", unnest(sent."fence") AS "fence",
    unnest(sent."attempt") AS "attempt", unnest(sent."poll_id") AS "poll_id",
    unnest(sent."status") AS "status", unnest(sent."actor") AS "actor",
    unnest(sent."principal") AS "principal", unnest(sent."step") AS "step",
    unnest(sent."requester") AS "requester", unnest(sent."from_status") AS "from_status",
    unnest(sent."revert_to") AS "revert_to", unnest(sent."to_status") AS "to_status",
    unnest(sent."action") AS "action", unnest(sent."effect") AS "effect",
    unnest(sent."effect_definition") AS "effect_definition",
    unnest(sent."effect_version") AS "effect_version", unnest(sent."module") AS "module",
    unnest(sent."request_id") AS "request_id", unnest(sent."message") AS "message",
    unnest(sent."output_json") AS "output_json", unnest(sent."output_bytes") AS "output_bytes"
  FROM (
    SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "lifecycle", ?::varchar[] AS "entity_id",
      ?::int8[] AS "version", ?::int8[] AS "at", ?::int2[] AS "type", ?::int2[] AS "kind",
      ?::int8[] AS "nonce", ?::int8[] AS "fence", ?::uuid[] AS "attempt", ?::uuid[] AS "poll_id",
      ?::varchar[] AS "status", ?::varchar[] AS "actor", ?::varchar[] AS "principal",
      ?::varchar[] AS "step", ?::varchar[] AS "requester", ?::varchar[] AS "from_status",
      ?::varchar[] AS "revert_to", ?::varchar[] AS "to_status", ?::varchar[] AS "action",
      ?::varchar[] AS "effect", ?::varchar[] AS "effect_definition",
      ?::varchar[] AS "effect_version", ?::varchar[] AS "module", ?::varchar[] AS "request_id",
      ?::varchar[] AS "message", ?::varchar[] AS "output_json", ?::bytea[] AS "output_bytes"
  ) sent
) AS "u";

-- lock; share
select k.n, one.workspace, one.created_at, one.version, one.fence, one.ended_nonce,
  one.ended_version, one.lease_until, one.since, one.nonce, one.attempt, one.lost_fence,
  one.recovery_nonce, one.poll_id, one.pending_intent, one.hold, one.ended, one.status, one.module,
  one.step, one.requester, one.from_status, one.revert_to, one.to_status, one.action, one.effect,
  one.effect_definition, one.effect_version, one.holder, one.holder_principal, one.worker,
  one.worker_principal, one.released, one.writer
from unnest(?::varchar[], ?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"(
  "workspace", "lifecycle", "id", "n"
),
  lateral (
    select hapax.entity.workspace, hapax.entity.created_at, hapax.entity.version,
      hapax.entity.fence, hapax.entity.ended_nonce, hapax.entity.ended_version,
      hapax.entity.lease_until, hapax.entity.since, hapax.entity.nonce, hapax.entity.attempt,
      hapax.entity.lost_fence, hapax.entity.recovery_nonce, hapax.entity.poll_id,
      hapax.entity.pending_intent, hapax.entity.hold, hapax.entity.ended, hapax.entity.status,
      hapax.entity.module, hapax.entity.step, hapax.entity.requester, hapax.entity.from_status,
      hapax.entity.revert_to, hapax.entity.to_status, hapax.entity.action, hapax.entity.effect,
      hapax.entity.effect_definition, hapax.entity.effect_version, hapax.entity.holder,
      hapax.entity.holder_principal, hapax.entity.worker, hapax.entity.worker_principal,
      hapax.entity.released, entity.xmin as writer
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
  delete from hapax.entity using (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."lifecycle") AS "lifecycle",
      unnest(sent."id") AS "id", unnest(sent."writer") AS "writer"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "lifecycle", ?::varchar[] AS "id",
        ?::xid[] AS "writer"
    ) sent
  ) AS "d"
  where (
    entity.xmin = d.writer and (hapax.entity.workspace = ANY (ARRAY[d.workspace]))
      and (hapax.entity.lifecycle = ANY (ARRAY[d.lifecycle]))
      and (hapax.entity.id = ANY (ARRAY[d.id]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity');
WITH w AS (
  update hapax.entity
  set created_at = to_timestamp(u.created_at / 1e6::float8), version = u.version, fence = u.fence,
    ended_nonce = u.ended_nonce, ended_version = u.ended_version,
    lease_until = to_timestamp(u.lease_until / 1e6::float8),
    since = to_timestamp(u.since / 1e6::float8), nonce = u.nonce, attempt = u.attempt,
    lost_fence = u.lost_fence, recovery_nonce = u.recovery_nonce, poll_id = u.poll_id,
    pending_intent = cast(null as uuid), hold = u.hold, ended = u.ended, status = u.status,
    module = u.module, step = u.step, requester = u.requester, from_status = u.from_status,
    revert_to = u.revert_to, to_status = u.to_status, action = u.action, effect = u.effect,
    effect_definition = u.effect_definition, effect_version = u.effect_version, holder = u.holder,
    holder_principal = u.holder_principal, worker = u.worker, worker_principal = u.worker_principal,
    released = u.released
  from (
    SELECT unnest(sent."workspace") AS "workspace", unnest(sent."lifecycle") AS "lifecycle",
      unnest(sent."id") AS "id", unnest(sent."writer") AS "writer",
      unnest(sent."created_at") AS "created_at", unnest(sent."version") AS "version",
      unnest(sent."fence") AS "fence", unnest(sent."hold") AS "hold",
      unnest(sent."status") AS "status", unnest(sent."ended_nonce") AS "ended_nonce",
      unnest(sent."ended_version") AS "ended_version", unnest(sent."ended") AS "ended",
      unnest(sent."released") AS "released", unnest(sent."lease_until") AS "lease_until",
      unnest(sent."since") AS "since", unnest(sent."nonce") AS "nonce",
      unnest(sent."attempt") AS "attempt", unnest(sent."module") AS "module",
      unnest(sent."step") AS "step", unnest(sent."requester") AS "requester",
      unnest(sent."from_status") AS "from_status", unnest(sent."revert_to") AS "revert_to",
      unnest(sent."to_status") AS "to_status", unnest(sent."action") AS "action",
      unnest(sent."effect") AS "effect", unnest(sent."effect_definition") AS "effect_definition",
      unnest(sent."effect_version") AS "effect_version", unnest(sent."holder") AS "holder",
      unnest(sent."holder_principal") AS "holder_principal",
      unnest(sent."lost_fence") AS "lost_fence", unnest(sent."recovery_nonce") AS "recovery_nonce",
      unnest(sent."poll_id") AS "poll_id", unnest(sent."worker") AS "worker",
      unnest(sent."worker_principal") AS "worker_principal"
    FROM (
      SELECT ?::varchar[] AS "workspace", ?::varchar[] AS "lifecycle", ?::varchar[] AS "id",
        ?::xid[] AS "writer", ?::int8[] AS "created_at", ?::int8[] AS "version",
        ?::int8[] AS "fence", ?::int2[] AS "hold", ?::varchar[] AS "status",
        ?::int8[] AS "ended_nonce", ?::int8[] AS "ended_version", ?::int2[] AS "ended",
        ?::varchar[] AS "released", ?::int8[] AS "lease_until", ?::int8[] AS "since",
        ?::int8[] AS "nonce", ?::uuid[] AS "attempt", ?::varchar[] AS "module",
        ?::varchar[] AS "step", ?::varchar[] AS "requester", ?::varchar[] AS "from_status",
        ?::varchar[] AS "revert_to", ?::varchar[] AS "to_status", ?::varchar[] AS "action",
        ?::varchar[] AS "effect", ?::varchar[] AS "effect_definition",
        ?::varchar[] AS "effect_version", ?::varchar[] AS "holder",
        ?::varchar[] AS "holder_principal", ?::int8[] AS "lost_fence",
        ?::int8[] AS "recovery_nonce", ?::uuid[] AS "poll_id", ?::varchar[] AS "worker",
        ?::varchar[] AS "worker_principal"
    ) sent
  ) AS "u"
  where (
    entity.xmin = u.writer and (hapax.entity.workspace = ANY (ARRAY[u.workspace]))
      and (hapax.entity.lifecycle = ANY (ARRAY[u.lifecycle]))
      and (hapax.entity.id = ANY (ARRAY[u.id]))
  )
  returning 1
)
SELECT hapax.expect(?, (SELECT count(*) FROM w), 'entity');
