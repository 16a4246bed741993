-- all
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
        select hapax.entity.lifecycle, hapax.entity.id
        from hapax.entity
        where (hapax.entity.workspace = ? and true)
        order by hapax.entity.lifecycle, hapax.entity.id
        fetch next 51 rows only
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

-- behind
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
        select hapax.entity.lifecycle, hapax.entity.id
        from hapax.entity
        where (hapax.entity.workspace = ? and (hapax.entity.lifecycle, hapax.entity.id) > (?, ?))
        order by hapax.entity.lifecycle, hapax.entity.id
        fetch next 51 rows only
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

-- of a lifecycle
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
        select hapax.entity.lifecycle, hapax.entity.id
        from hapax.entity
        where (hapax.entity.workspace = ? and hapax.entity.lifecycle = ?)
        order by hapax.entity.lifecycle, hapax.entity.id
        fetch next 51 rows only
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

-- in a status
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
          select s.lifecycle, s.id
          from hapax.lifecycle, unnest(cast(? as varchar[])) as wanted (status),
            lateral (
              select hapax.entity.lifecycle, hapax.entity.id
              from hapax.entity
              where (
                hapax.entity.workspace = ? and hapax.entity.lifecycle = hapax.lifecycle.name
                  and hapax.entity.status = wanted.status and hapax.entity.hold = 1
                  and hapax.entity.id > ''
              )
              order by hapax.entity.id
              fetch next 51 rows only
            ) as s
          where hapax.lifecycle.workspace = ?
        )
        union all (
          select hapax.entity.lifecycle, hapax.entity.id
          from hapax.entity
          where (
            hapax.entity.workspace = ? and hapax.entity.hold <> 1 and true
              and (hapax.entity.status = ANY (cast(? as varchar[])))
          )
          order by hapax.entity.lifecycle, hapax.entity.id
          fetch next 51 rows only
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

-- in a status, of a lifecycle, behind
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
          select s.lifecycle, s.id
          from hapax.lifecycle, unnest(cast(? as varchar[])) as wanted (status),
            lateral (
              select hapax.entity.lifecycle, hapax.entity.id
              from hapax.entity
              where (
                hapax.entity.workspace = ? and hapax.entity.lifecycle = hapax.lifecycle.name
                  and hapax.entity.status = wanted.status and hapax.entity.hold = 1
                  and hapax.entity.id > case when hapax.lifecycle.name = ? then ? else '' end
              )
              order by hapax.entity.id
              fetch next 51 rows only
            ) as s
          where (
            hapax.lifecycle.workspace = ? and hapax.lifecycle.name = ? and hapax.lifecycle.name >= ?
          )
        )
        union all (
          select hapax.entity.lifecycle, hapax.entity.id
          from hapax.entity
          where (
            hapax.entity.workspace = ? and hapax.entity.hold <> 1 and hapax.entity.lifecycle = ?
              and (hapax.entity.lifecycle, hapax.entity.id) > (?, ?)
              and (hapax.entity.status = ANY (cast(? as varchar[])))
          )
          order by hapax.entity.lifecycle, hapax.entity.id
          fetch next 51 rows only
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

-- claimed
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
        select hapax.entity.lifecycle, hapax.entity.id
        from hapax.entity
        where (hapax.entity.workspace = ? and hapax.entity.hold <> 1 and true and true)
        order by hapax.entity.lifecycle, hapax.entity.id
        fetch next 51 rows only
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

-- claimed before
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
        select hapax.entity.lifecycle, hapax.entity.id
        from hapax.entity
        where (
          hapax.entity.workspace = ? and hapax.entity.hold <> 1 and true and true
            and hapax.entity.since < cast(? as timestamp(6) with time zone)
        )
        order by hapax.entity.lifecycle, hapax.entity.id
        fetch next 51 rows only
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

-- by every filter
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
        select hapax.entity.lifecycle, hapax.entity.id
        from hapax.entity
        where (
          hapax.entity.workspace = ? and hapax.entity.hold <> 1 and hapax.entity.lifecycle = ?
            and (hapax.entity.lifecycle, hapax.entity.id) > (?, ?)
            and (hapax.entity.status = ANY (cast(? as varchar[])))
            and hapax.entity.since < cast(? as timestamp(6) with time zone)
        )
        order by hapax.entity.lifecycle, hapax.entity.id
        fetch next 51 rows only
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
