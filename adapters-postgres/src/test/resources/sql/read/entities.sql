-- find
SELECT set_config('hapax.scope', ?, false);
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
    fetch next 1 rows only
  ) as one
order by k.n;

-- events
SELECT set_config('hapax.scope', ?, false);
select case when before_it < 4194304 then counted.workspace end as workspace,
  case when before_it < 4194304 then counted.lifecycle end as lifecycle,
  case when before_it < 4194304 then counted.entity_id end as entity_id, counted.version,
  counted.at, counted.type, counted.kind, counted.nonce, counted.fence, counted.attempt,
  counted.poll_id, case when before_it < 4194304 then counted.status end as status,
  case when before_it < 4194304 then counted.actor end as actor,
  case when before_it < 4194304 then counted.principal end as principal,
  case when before_it < 4194304 then counted.step end as step,
  case when before_it < 4194304 then counted.requester end as requester,
  case when before_it < 4194304 then counted.from_status end as from_status,
  case when before_it < 4194304 then counted.revert_to end as revert_to,
  case when before_it < 4194304 then counted.to_status end as to_status,
  case when before_it < 4194304 then counted.action end as action,
  case when before_it < 4194304 then counted.effect end as effect,
  case when before_it < 4194304 then counted.effect_definition end as effect_definition,
  case when before_it < 4194304 then counted.effect_version end as effect_version,
  case when before_it < 4194304 then counted.module end as module,
  case when before_it < 4194304 then counted.request_id end as request_id,
  case when before_it < 4194304 then counted.message end as message,
  case when before_it < 4194304 then counted.output_json end as output_json,
  case when before_it < 4194304 then counted.output_bytes end as output_bytes, before_it
from (
  select rows.workspace, rows.lifecycle, rows.entity_id, rows.version, rows.at, rows.type,
    rows.kind, rows.nonce, rows.fence, rows.attempt, rows.poll_id, rows.status, rows.actor,
    rows.principal, rows.step, rows.requester, rows.from_status, rows.revert_to, rows.to_status,
    rows.action, rows.effect, rows.effect_definition, rows.effect_version, rows.module,
    rows.request_id, rows.message, rows.output_json, rows.output_bytes,
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length(rows.workspace), 0) + coalesce(octet_length(rows.lifecycle), 0)
              + coalesce(octet_length(rows.entity_id), 0) + coalesce(octet_length(rows.status), 0)
              + coalesce(octet_length(rows.actor), 0) + coalesce(octet_length(rows.principal), 0)
              + coalesce(octet_length(rows.step), 0) + coalesce(octet_length(rows.requester), 0)
              + coalesce(octet_length(rows.from_status), 0)
              + coalesce(octet_length(rows.revert_to), 0)
              + coalesce(octet_length(rows.to_status), 0) + coalesce(octet_length(rows.action), 0)
              + coalesce(octet_length(rows.effect), 0)
              + coalesce(octet_length(rows.effect_definition), 0)
              + coalesce(octet_length(rows.effect_version), 0)
              + coalesce(octet_length(rows.module), 0) + coalesce(octet_length(rows.request_id), 0)
              + coalesce(octet_length(rows.message), 0)
              + coalesce(octet_length(rows.output_json), 0)
              + coalesce(octet_length(rows.output_bytes), 0)
          )
        ) over (order by rows.version rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as before_it
  from (
    select hapax.entity_event.workspace, hapax.entity_event.lifecycle, hapax.entity_event.entity_id,
      hapax.entity_event.version, hapax.entity_event.at, hapax.entity_event.type,
      hapax.entity_event.kind, hapax.entity_event.nonce, hapax.entity_event.fence,
      hapax.entity_event.attempt, hapax.entity_event.poll_id, hapax.entity_event.status,
      hapax.entity_event.actor, hapax.entity_event.principal, hapax.entity_event.step,
      hapax.entity_event.requester, hapax.entity_event.from_status, hapax.entity_event.revert_to,
      hapax.entity_event.to_status, hapax.entity_event.action, hapax.entity_event.effect,
      hapax.entity_event.effect_definition, hapax.entity_event.effect_version,
      hapax.entity_event.module, hapax.entity_event.request_id, hapax.entity_event.message,
      hapax.entity_event.output_json, hapax.entity_event.output_bytes
    from hapax.entity_event
    where (
      hapax.entity_event.workspace = ? and hapax.entity_event.lifecycle = ?
        and hapax.entity_event.entity_id = ? and hapax.entity_event.version > ?
        and (
          hapax.entity_event.type = 9
            or not exists (
              select 1 as one
              from hapax.entity_deletion
              where (
                hapax.entity_deletion.workspace = hapax.entity_event.workspace
                  and hapax.entity_deletion.lifecycle = hapax.entity_event.lifecycle
                  and hapax.entity_deletion.id = hapax.entity_event.entity_id
                  and hapax.entity_deletion.version > hapax.entity_event.version
              )
            )
        )
    )
    order by hapax.entity_event.version
    fetch next ? rows only
  ) as rows
) as counted
order by version;

-- endedBy an action; endedBy a recovery
SELECT set_config('hapax.scope', ?, false);
select hapax.entity_event.workspace, hapax.entity_event.lifecycle, hapax.entity_event.entity_id,
  hapax.entity_event.version, hapax.entity_event.at, hapax.entity_event.type,
  hapax.entity_event.kind, hapax.entity_event.nonce, hapax.entity_event.fence,
  hapax.entity_event.attempt, hapax.entity_event.poll_id, hapax.entity_event.status,
  hapax.entity_event.actor, hapax.entity_event.principal, hapax.entity_event.step,
  hapax.entity_event.requester, hapax.entity_event.from_status, hapax.entity_event.revert_to,
  hapax.entity_event.to_status, hapax.entity_event.action, hapax.entity_event.effect,
  hapax.entity_event.effect_definition, hapax.entity_event.effect_version,
  hapax.entity_event.module, hapax.entity_event.request_id, hapax.entity_event.message,
  hapax.entity_event.output_json, hapax.entity_event.output_bytes
from hapax.entity_event
where (
  hapax.entity_event.workspace = ? and hapax.entity_event.lifecycle = ?
    and hapax.entity_event.entity_id = ? and hapax.entity_event.version = ?
    and hapax.entity_event.nonce = ?
);

-- isReleased
SELECT set_config('hapax.scope', ?, false);
select 1
from hapax.entity_event
where (
  hapax.entity_event.workspace = ? and hapax.entity_event.lifecycle = ?
    and hapax.entity_event.entity_id = ? and hapax.entity_event.request_id = ?
    and hapax.entity_event.type = 8
)
fetch next 1 rows only;

-- isDeleted
SELECT set_config('hapax.scope', ?, false);
select 1
from hapax.entity_event
where (
  hapax.entity_event.workspace = ? and hapax.entity_event.lifecycle = ?
    and hapax.entity_event.entity_id = ? and hapax.entity_event.request_id = ?
    and hapax.entity_event.type = 9
)
fetch next 1 rows only;

-- stranded
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select counted.place, counted.lifecycle, counted.id, counted.created_at, counted.version,
  counted.fence, counted.ended_nonce, counted.ended_version, counted.lease_until, counted.since,
  counted.nonce, counted.attempt, counted.lost_fence, counted.recovery_nonce, counted.poll_id,
  counted.pending_intent, counted.hold, counted.ended,
  case when before_it < 4194304 then counted.status end as status,
  case when before_it < 4194304 then counted.module end as module,
  case when before_it < 4194304 then counted.step end as step,
  case when before_it < 4194304 then counted.requester end as requester,
  case when before_it < 4194304 then counted.from_status end as from_status,
  case when before_it < 4194304 then counted.revert_to end as revert_to,
  case when before_it < 4194304 then counted.to_status end as to_status,
  case when before_it < 4194304 then counted.action end as action,
  case when before_it < 4194304 then counted.effect end as effect,
  case when before_it < 4194304 then counted.effect_definition end as effect_definition,
  case when before_it < 4194304 then counted.effect_version end as effect_version,
  case when before_it < 4194304 then counted.holder end as holder,
  case when before_it < 4194304 then counted.holder_principal end as holder_principal,
  case when before_it < 4194304 then counted.worker end as worker,
  case when before_it < 4194304 then counted.worker_principal end as worker_principal,
  case when before_it < 4194304 then counted.released end as released, before_it
from (
  select rows.place, rows.lifecycle, rows.id, rows.created_at, rows.version, rows.fence,
    rows.ended_nonce, rows.ended_version, rows.lease_until, rows.since, rows.nonce, rows.attempt,
    rows.lost_fence, rows.recovery_nonce, rows.poll_id, rows.pending_intent, rows.hold, rows.ended,
    rows.status, rows.module, rows.step, rows.requester, rows.from_status, rows.revert_to,
    rows.to_status, rows.action, rows.effect, rows.effect_definition, rows.effect_version,
    rows.holder, rows.holder_principal, rows.worker, rows.worker_principal, rows.released,
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length(rows.status), 0) + coalesce(octet_length(rows.module), 0)
              + coalesce(octet_length(rows.step), 0) + coalesce(octet_length(rows.requester), 0)
              + coalesce(octet_length(rows.from_status), 0)
              + coalesce(octet_length(rows.revert_to), 0)
              + coalesce(octet_length(rows.to_status), 0) + coalesce(octet_length(rows.action), 0)
              + coalesce(octet_length(rows.effect), 0)
              + coalesce(octet_length(rows.effect_definition), 0)
              + coalesce(octet_length(rows.effect_version), 0)
              + coalesce(octet_length(rows.holder), 0)
              + coalesce(octet_length(rows.holder_principal), 0)
              + coalesce(octet_length(rows.worker), 0)
              + coalesce(octet_length(rows.worker_principal), 0)
              + coalesce(octet_length(rows.released), 0)
          )
        ) over (order by rows.place rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as before_it
  from (
    select row_number() over (order by f.lifecycle, f.id) as place, f.lifecycle, f.id, e.created_at,
      e.version, e.fence, e.ended_nonce, e.ended_version, e.lease_until, e.since, e.nonce,
      e.attempt, e.lost_fence, e.recovery_nonce, e.poll_id, e.pending_intent, e.hold, e.ended,
      e.status, e.module, e.step, e.requester, e.from_status, e.revert_to, e.to_status, e.action,
      e.effect, e.effect_definition, e.effect_version, e.holder, e.holder_principal, e.worker,
      e.worker_principal, e.released
    from (
      select k.lifecycle, k.id
      from (
        (
          select hapax.entity.lifecycle, hapax.entity.id
          from hapax.entity
          where (
            hapax.entity.workspace = ? and hapax.entity.lifecycle = ? and hapax.entity.hold = 1
              and hapax.entity.status in (?)
          )
          fetch next 50 rows only
        )
        union all (
          select hapax.entity.lifecycle, hapax.entity.id
          from hapax.entity
          where (
            hapax.entity.workspace = ? and hapax.entity.lifecycle = ? and hapax.entity.hold <> 1
              and (
                hapax.entity.status in (?) or hapax.entity.to_status in (?)
                  or hapax.entity.revert_to in (?)
              )
          )
          order by hapax.entity.id
          fetch next 50 rows only
        )
      ) as k
      order by k.lifecycle, k.id
      fetch next 51 rows only
    ) as f,
      lateral (
        select hapax.entity.created_at, hapax.entity.version, hapax.entity.fence,
          hapax.entity.ended_nonce, hapax.entity.ended_version, hapax.entity.lease_until,
          hapax.entity.since, hapax.entity.nonce, hapax.entity.attempt, hapax.entity.lost_fence,
          hapax.entity.recovery_nonce, hapax.entity.poll_id, hapax.entity.pending_intent,
          hapax.entity.hold, hapax.entity.ended, hapax.entity.status, hapax.entity.module,
          hapax.entity.step, hapax.entity.requester, hapax.entity.from_status,
          hapax.entity.revert_to, hapax.entity.to_status, hapax.entity.action, hapax.entity.effect,
          hapax.entity.effect_definition, hapax.entity.effect_version, hapax.entity.holder,
          hapax.entity.holder_principal, hapax.entity.worker, hapax.entity.worker_principal,
          hapax.entity.released
        from hapax.entity
        where (
          hapax.entity.workspace = ? and hapax.entity.lifecycle = f.lifecycle
            and hapax.entity.id = f.id
        )
        fetch next 1 rows only
      ) as e
  ) as rows
) as counted
order by place;

-- stale
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select hapax.entity.lifecycle, hapax.entity.id
from hapax.entity
where (
  hapax.entity.workspace = ? and hapax.entity.module = ? and hapax.entity.hold <> 1
    and hapax.entity.lease_until <= cast(current_timestamp as timestamp with time zone)
    and hapax.entity.lease_until > current_timestamp - ? * interval '1 microsecond'
)
order by hapax.entity.lease_until
fetch next ? rows only;

-- firstStale
SELECT set_config('hapax.scope', ?, false);
select j.n, e.micros
from unnest(?::varchar[], ?::varchar[], ?::int8[]) WITH ORDINALITY AS "j"(
  "workspace", "module", "back", "n"
),
  lateral (
    select cast(extract(epoch FROM hapax.entity.lease_until - clock_timestamp()) * 1e6 as bigint) as micros
    from hapax.entity
    where (
      hapax.entity.workspace = j.workspace and hapax.entity.module = j.module
        and hapax.entity.hold <> 1
        and hapax.entity.lease_until > current_timestamp - j.back * interval '1 microsecond'
    )
    order by hapax.entity.lease_until
    fetch next 1 rows only
  ) as e;

-- free
SELECT set_config('hapax.scope', ?, false);
select k.n
from unnest(?::varchar[], ?::varchar[], ?::varchar[]) WITH ORDINALITY AS "k"(
  "workspace", "lifecycle", "id", "n"
)
where not exists (
  select 1 as one
  from hapax.entity
  where (
    hapax.entity.workspace = k.workspace and hapax.entity.lifecycle = k.lifecycle
      and hapax.entity.id = k.id and not (hapax.entity.hold = 1)
  )
  offset 0 rows
);

-- polled
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SET LOCAL plan_cache_mode = force_generic_plan;
select p.n, e.lifecycle, e.id
from unnest(?::varchar[], ?::varchar[], ?::uuid[]) WITH ORDINALITY AS "p"(
  "workspace", "module", "poll_id", "n"
),
  lateral (
    select hapax.entity.lifecycle, hapax.entity.id
    from hapax.entity
    where (
      hapax.entity.workspace = p.workspace and hapax.entity.poll_id between p.poll_id and p.poll_id
        and hapax.entity.module = p.module
    )
    order by hapax.entity.poll_id
  ) as e;
