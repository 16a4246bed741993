-- find
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select hapax.operation.workspace, hapax.operation.id, hapax.operation.state,
  hapax.operation.attempt, hapax.operation.nonce, hapax.operation.fence, hapax.operation.started_at,
  hapax.operation.expires_at, hapax.operation.until, hapax.operation.fingerprint,
  hapax.operation.attempt_id, hapax.operation.account_changing, hapax.operation.hold,
  hapax.operation.account, hapax.operation.claim_account, hapax.operation.operation,
  hapax.operation.request_id, hapax.operation.failure_code, hapax.operation.failure_message,
  hapax.operation.failure_json, hapax.operation.failure_bytes, hapax.operation.resolution_id,
  hapax.operation.resolution, hapax.operation.resolution_actor,
  hapax.operation.resolution_principal, hapax.operation.resolution_fence,
  hapax.operation.earlier_failures, hapax.operation.earlier_resolutions,
  hapax.operation.pending_intent
from hapax.operation
where (hapax.operation.workspace = ? and hapax.operation.id = cast(? as uuid));
COMMIT;

-- list
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."state",
  "counted"."attempt", "counted"."nonce", "counted"."fence", "counted"."started_at",
  "counted"."expires_at", "counted"."until", "counted"."fingerprint", "counted"."attempt_id",
  "counted"."account_changing", "counted"."hold", "counted"."account", "counted"."claim_account",
  "counted"."operation", "counted"."request_id", "counted"."failure_code",
  "counted"."failure_message",
  case when "before_it" < 4194304 then "counted"."failure_json" end as "failure_json",
  case when "before_it" < 4194304 then "counted"."failure_bytes" end as "failure_bytes",
  "counted"."resolution_id", "counted"."resolution", "counted"."resolution_actor",
  "counted"."resolution_principal", "counted"."resolution_fence", "counted"."earlier_failures",
  "counted"."earlier_resolutions", "counted"."pending_intent", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."state", "rows"."attempt",
    "rows"."nonce", "rows"."fence", "rows"."started_at", "rows"."expires_at", "rows"."until",
    "rows"."fingerprint", "rows"."attempt_id", "rows"."account_changing", "rows"."hold",
    "rows"."account", "rows"."claim_account", "rows"."operation", "rows"."request_id",
    "rows"."failure_code", "rows"."failure_message", "rows"."failure_json", "rows"."failure_bytes",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions", "rows"."pending_intent",
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length("rows"."failure_json"), 0)
              + coalesce(octet_length("rows"."failure_bytes"), 0)
          )
        ) over (order by "rows"."place" rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."state", "p"."attempt", "p"."nonce", "p"."fence", "p"."started_at",
      "p"."expires_at", "p"."until", "p"."fingerprint", "p"."attempt_id", "p"."account_changing",
      "p"."hold", "p"."account", "p"."claim_account", "p"."operation", "p"."request_id",
      "p"."failure_code", "p"."failure_message", "p"."failure_json", "p"."failure_bytes",
      "p"."resolution_id", "p"."resolution", "p"."resolution_actor", "p"."resolution_principal",
      "p"."resolution_fence", "p"."earlier_failures", "p"."earlier_resolutions",
      "p"."pending_intent"
    from (
      select "hapax"."operation"."workspace", "hapax"."operation"."id", "hapax"."operation"."state",
        "hapax"."operation"."attempt", "hapax"."operation"."nonce", "hapax"."operation"."fence",
        "hapax"."operation"."started_at", "hapax"."operation"."expires_at",
        "hapax"."operation"."until", "hapax"."operation"."fingerprint",
        "hapax"."operation"."attempt_id", "hapax"."operation"."account_changing",
        "hapax"."operation"."hold", "hapax"."operation"."account",
        "hapax"."operation"."claim_account", "hapax"."operation"."operation",
        "hapax"."operation"."request_id", "hapax"."operation"."failure_code",
        "hapax"."operation"."failure_message", "hapax"."operation"."failure_json",
        "hapax"."operation"."failure_bytes", "hapax"."operation"."resolution_id",
        "hapax"."operation"."resolution", "hapax"."operation"."resolution_actor",
        "hapax"."operation"."resolution_principal", "hapax"."operation"."resolution_fence",
        "hapax"."operation"."earlier_failures", "hapax"."operation"."earlier_resolutions",
        "hapax"."operation"."pending_intent"
      from "hapax"."operation"
      where (
        "hapax"."operation"."workspace" = ? and "hapax"."operation"."state" in (1, 2, 3) and true
          and true and true and true and true
          and (
            "hapax"."operation"."expires_at" > cast(? as timestamp(6) with time zone)
              or "hapax"."operation"."state" <> ?
          )
      )
      order by "hapax"."operation"."started_at" desc, "hapax"."operation"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."fence",
  "counted"."nonce", "counted"."purge_on", "counted"."state", "counted"."attempt",
  "counted"."started_at", "counted"."ended_at", "counted"."expires_at", "counted"."fingerprint",
  "counted"."account_changing", "counted"."account", "counted"."claim_account",
  "counted"."account_after", "counted"."operation", "counted"."request_id",
  case when "before_it" < 4194304 then "counted"."json" end as "json",
  case when "before_it" < 4194304 then "counted"."bytes" end as "bytes", "counted"."failure_code",
  "counted"."failure_message", "counted"."resolution_id", "counted"."resolution",
  "counted"."resolution_actor", "counted"."resolution_principal", "counted"."resolution_fence",
  "counted"."earlier_failures", "counted"."earlier_resolutions", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."fence", "rows"."nonce",
    "rows"."purge_on", "rows"."state", "rows"."attempt", "rows"."started_at", "rows"."ended_at",
    "rows"."expires_at", "rows"."fingerprint", "rows"."account_changing", "rows"."account",
    "rows"."claim_account", "rows"."account_after", "rows"."operation", "rows"."request_id",
    "rows"."json", "rows"."bytes", "rows"."failure_code", "rows"."failure_message",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions",
    cast(
      coalesce(
        sum((coalesce(octet_length("rows"."json"), 0) + coalesce(octet_length("rows"."bytes"), 0))) over (
          order by "rows"."place" rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."fence", "p"."nonce", "p"."purge_on", "p"."state", "p"."attempt",
      "p"."started_at", "p"."ended_at", "p"."expires_at", "p"."fingerprint", "p"."account_changing",
      "p"."account", "p"."claim_account", "p"."account_after", "p"."operation", "p"."request_id",
      "p"."json", "p"."bytes", "p"."failure_code", "p"."failure_message", "p"."resolution_id",
      "p"."resolution", "p"."resolution_actor", "p"."resolution_principal", "p"."resolution_fence",
      "p"."earlier_failures", "p"."earlier_resolutions"
    from (
      select "hapax"."operation_result"."workspace", "hapax"."operation_result"."id",
        "hapax"."operation_result"."fence", "hapax"."operation_result"."nonce",
        "hapax"."operation_result"."purge_on", "hapax"."operation_result"."state",
        "hapax"."operation_result"."attempt", "hapax"."operation_result"."started_at",
        "hapax"."operation_result"."ended_at", "hapax"."operation_result"."expires_at",
        "hapax"."operation_result"."fingerprint", "hapax"."operation_result"."account_changing",
        "hapax"."operation_result"."account", "hapax"."operation_result"."claim_account",
        "hapax"."operation_result"."account_after", "hapax"."operation_result"."operation",
        "hapax"."operation_result"."request_id", "hapax"."operation_result"."json",
        "hapax"."operation_result"."bytes", "hapax"."operation_result"."failure_code",
        "hapax"."operation_result"."failure_message", "hapax"."operation_result"."resolution_id",
        "hapax"."operation_result"."resolution", "hapax"."operation_result"."resolution_actor",
        "hapax"."operation_result"."resolution_principal",
        "hapax"."operation_result"."resolution_fence",
        "hapax"."operation_result"."earlier_failures",
        "hapax"."operation_result"."earlier_resolutions"
      from "hapax"."operation_result"
      where (
        "hapax"."operation_result"."started_at" >= cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."workspace" = ?
          and "hapax"."operation_result"."state" in (4, 5) and true and true and true and true
          and true
          and "hapax"."operation_result"."expires_at" > cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."purge_on" >= current_date
      )
      order by "hapax"."operation_result"."started_at" desc, "hapax"."operation_result"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."fence",
  "counted"."nonce", "counted"."purge_on", "counted"."state", "counted"."attempt",
  "counted"."started_at", "counted"."ended_at", "counted"."expires_at", "counted"."fingerprint",
  "counted"."account_changing", "counted"."account", "counted"."claim_account",
  "counted"."account_after", "counted"."operation", "counted"."request_id",
  case when "before_it" < 4194304 then "counted"."json" end as "json",
  case when "before_it" < 4194304 then "counted"."bytes" end as "bytes", "counted"."failure_code",
  "counted"."failure_message", "counted"."resolution_id", "counted"."resolution",
  "counted"."resolution_actor", "counted"."resolution_principal", "counted"."resolution_fence",
  "counted"."earlier_failures", "counted"."earlier_resolutions", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."fence", "rows"."nonce",
    "rows"."purge_on", "rows"."state", "rows"."attempt", "rows"."started_at", "rows"."ended_at",
    "rows"."expires_at", "rows"."fingerprint", "rows"."account_changing", "rows"."account",
    "rows"."claim_account", "rows"."account_after", "rows"."operation", "rows"."request_id",
    "rows"."json", "rows"."bytes", "rows"."failure_code", "rows"."failure_message",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions",
    cast(
      coalesce(
        sum((coalesce(octet_length("rows"."json"), 0) + coalesce(octet_length("rows"."bytes"), 0))) over (
          order by "rows"."place" rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."fence", "p"."nonce", "p"."purge_on", "p"."state", "p"."attempt",
      "p"."started_at", "p"."ended_at", "p"."expires_at", "p"."fingerprint", "p"."account_changing",
      "p"."account", "p"."claim_account", "p"."account_after", "p"."operation", "p"."request_id",
      "p"."json", "p"."bytes", "p"."failure_code", "p"."failure_message", "p"."resolution_id",
      "p"."resolution", "p"."resolution_actor", "p"."resolution_principal", "p"."resolution_fence",
      "p"."earlier_failures", "p"."earlier_resolutions"
    from (
      select "hapax"."operation_result"."workspace", "hapax"."operation_result"."id",
        "hapax"."operation_result"."fence", "hapax"."operation_result"."nonce",
        "hapax"."operation_result"."purge_on", "hapax"."operation_result"."state",
        "hapax"."operation_result"."attempt", "hapax"."operation_result"."started_at",
        "hapax"."operation_result"."ended_at", "hapax"."operation_result"."expires_at",
        "hapax"."operation_result"."fingerprint", "hapax"."operation_result"."account_changing",
        "hapax"."operation_result"."account", "hapax"."operation_result"."claim_account",
        "hapax"."operation_result"."account_after", "hapax"."operation_result"."operation",
        "hapax"."operation_result"."request_id", "hapax"."operation_result"."json",
        "hapax"."operation_result"."bytes", "hapax"."operation_result"."failure_code",
        "hapax"."operation_result"."failure_message", "hapax"."operation_result"."resolution_id",
        "hapax"."operation_result"."resolution", "hapax"."operation_result"."resolution_actor",
        "hapax"."operation_result"."resolution_principal",
        "hapax"."operation_result"."resolution_fence",
        "hapax"."operation_result"."earlier_failures",
        "hapax"."operation_result"."earlier_resolutions"
      from "hapax"."operation_result"
      where (
        "hapax"."operation_result"."started_at" < cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."started_at" >= cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."workspace" = ?
          and "hapax"."operation_result"."state" in (4, 5) and true and true and true and true
          and true
          and "hapax"."operation_result"."expires_at" > cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."purge_on" >= current_date
      )
      order by "hapax"."operation_result"."started_at" desc, "hapax"."operation_result"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
COMMIT;

-- list without payloads
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select "hapax"."operation"."workspace", "hapax"."operation"."id", "hapax"."operation"."state",
  "hapax"."operation"."attempt", "hapax"."operation"."nonce", "hapax"."operation"."fence",
  "hapax"."operation"."started_at", "hapax"."operation"."expires_at", "hapax"."operation"."until",
  "hapax"."operation"."fingerprint", "hapax"."operation"."attempt_id",
  "hapax"."operation"."account_changing", "hapax"."operation"."hold", "hapax"."operation"."account",
  "hapax"."operation"."claim_account", "hapax"."operation"."operation",
  "hapax"."operation"."request_id", "hapax"."operation"."failure_code",
  "hapax"."operation"."failure_message", cast(null as text) as "failure_json",
  cast(null as bytea) as "failure_bytes", "hapax"."operation"."resolution_id",
  "hapax"."operation"."resolution", "hapax"."operation"."resolution_actor",
  "hapax"."operation"."resolution_principal", "hapax"."operation"."resolution_fence",
  "hapax"."operation"."earlier_failures", "hapax"."operation"."earlier_resolutions",
  "hapax"."operation"."pending_intent"
from "hapax"."operation"
where (
  "hapax"."operation"."workspace" = ? and "hapax"."operation"."state" in (1, 2, 3) and true and true
    and true and true and true
    and (
      "hapax"."operation"."expires_at" > cast(? as timestamp(6) with time zone)
        or "hapax"."operation"."state" <> ?
    )
)
order by "hapax"."operation"."started_at" desc, "hapax"."operation"."id"
fetch next 51 rows only;
select "hapax"."operation_result"."workspace", "hapax"."operation_result"."id",
  "hapax"."operation_result"."fence", "hapax"."operation_result"."nonce",
  "hapax"."operation_result"."purge_on", "hapax"."operation_result"."state",
  "hapax"."operation_result"."attempt", "hapax"."operation_result"."started_at",
  "hapax"."operation_result"."ended_at", "hapax"."operation_result"."expires_at",
  "hapax"."operation_result"."fingerprint", "hapax"."operation_result"."account_changing",
  "hapax"."operation_result"."account", "hapax"."operation_result"."claim_account",
  "hapax"."operation_result"."account_after", "hapax"."operation_result"."operation",
  "hapax"."operation_result"."request_id", cast(null as text) as "json",
  cast(null as bytea) as "bytes", "hapax"."operation_result"."failure_code",
  "hapax"."operation_result"."failure_message", "hapax"."operation_result"."resolution_id",
  "hapax"."operation_result"."resolution", "hapax"."operation_result"."resolution_actor",
  "hapax"."operation_result"."resolution_principal", "hapax"."operation_result"."resolution_fence",
  "hapax"."operation_result"."earlier_failures", "hapax"."operation_result"."earlier_resolutions"
from "hapax"."operation_result"
where (
  "hapax"."operation_result"."started_at" >= cast(? as timestamp(6) with time zone)
    and "hapax"."operation_result"."workspace" = ? and "hapax"."operation_result"."state" in (4, 5)
    and true and true and true and true and true
    and "hapax"."operation_result"."expires_at" > cast(? as timestamp(6) with time zone)
    and "hapax"."operation_result"."purge_on" >= current_date
)
order by "hapax"."operation_result"."started_at" desc, "hapax"."operation_result"."id"
fetch next 51 rows only;
select "hapax"."operation_result"."workspace", "hapax"."operation_result"."id",
  "hapax"."operation_result"."fence", "hapax"."operation_result"."nonce",
  "hapax"."operation_result"."purge_on", "hapax"."operation_result"."state",
  "hapax"."operation_result"."attempt", "hapax"."operation_result"."started_at",
  "hapax"."operation_result"."ended_at", "hapax"."operation_result"."expires_at",
  "hapax"."operation_result"."fingerprint", "hapax"."operation_result"."account_changing",
  "hapax"."operation_result"."account", "hapax"."operation_result"."claim_account",
  "hapax"."operation_result"."account_after", "hapax"."operation_result"."operation",
  "hapax"."operation_result"."request_id", cast(null as text) as "json",
  cast(null as bytea) as "bytes", "hapax"."operation_result"."failure_code",
  "hapax"."operation_result"."failure_message", "hapax"."operation_result"."resolution_id",
  "hapax"."operation_result"."resolution", "hapax"."operation_result"."resolution_actor",
  "hapax"."operation_result"."resolution_principal", "hapax"."operation_result"."resolution_fence",
  "hapax"."operation_result"."earlier_failures", "hapax"."operation_result"."earlier_resolutions"
from "hapax"."operation_result"
where (
  "hapax"."operation_result"."started_at" < cast(? as timestamp(6) with time zone)
    and "hapax"."operation_result"."started_at" >= cast(? as timestamp(6) with time zone)
    and "hapax"."operation_result"."workspace" = ? and "hapax"."operation_result"."state" in (4, 5)
    and true and true and true and true and true
    and "hapax"."operation_result"."expires_at" > cast(? as timestamp(6) with time zone)
    and "hapax"."operation_result"."purge_on" >= current_date
)
order by "hapax"."operation_result"."started_at" desc, "hapax"."operation_result"."id"
fetch next 51 rows only;
COMMIT;

-- list behind
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."state",
  "counted"."attempt", "counted"."nonce", "counted"."fence", "counted"."started_at",
  "counted"."expires_at", "counted"."until", "counted"."fingerprint", "counted"."attempt_id",
  "counted"."account_changing", "counted"."hold", "counted"."account", "counted"."claim_account",
  "counted"."operation", "counted"."request_id", "counted"."failure_code",
  "counted"."failure_message",
  case when "before_it" < 4194304 then "counted"."failure_json" end as "failure_json",
  case when "before_it" < 4194304 then "counted"."failure_bytes" end as "failure_bytes",
  "counted"."resolution_id", "counted"."resolution", "counted"."resolution_actor",
  "counted"."resolution_principal", "counted"."resolution_fence", "counted"."earlier_failures",
  "counted"."earlier_resolutions", "counted"."pending_intent", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."state", "rows"."attempt",
    "rows"."nonce", "rows"."fence", "rows"."started_at", "rows"."expires_at", "rows"."until",
    "rows"."fingerprint", "rows"."attempt_id", "rows"."account_changing", "rows"."hold",
    "rows"."account", "rows"."claim_account", "rows"."operation", "rows"."request_id",
    "rows"."failure_code", "rows"."failure_message", "rows"."failure_json", "rows"."failure_bytes",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions", "rows"."pending_intent",
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length("rows"."failure_json"), 0)
              + coalesce(octet_length("rows"."failure_bytes"), 0)
          )
        ) over (order by "rows"."place" rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."state", "p"."attempt", "p"."nonce", "p"."fence", "p"."started_at",
      "p"."expires_at", "p"."until", "p"."fingerprint", "p"."attempt_id", "p"."account_changing",
      "p"."hold", "p"."account", "p"."claim_account", "p"."operation", "p"."request_id",
      "p"."failure_code", "p"."failure_message", "p"."failure_json", "p"."failure_bytes",
      "p"."resolution_id", "p"."resolution", "p"."resolution_actor", "p"."resolution_principal",
      "p"."resolution_fence", "p"."earlier_failures", "p"."earlier_resolutions",
      "p"."pending_intent"
    from (
      select "hapax"."operation"."workspace", "hapax"."operation"."id", "hapax"."operation"."state",
        "hapax"."operation"."attempt", "hapax"."operation"."nonce", "hapax"."operation"."fence",
        "hapax"."operation"."started_at", "hapax"."operation"."expires_at",
        "hapax"."operation"."until", "hapax"."operation"."fingerprint",
        "hapax"."operation"."attempt_id", "hapax"."operation"."account_changing",
        "hapax"."operation"."hold", "hapax"."operation"."account",
        "hapax"."operation"."claim_account", "hapax"."operation"."operation",
        "hapax"."operation"."request_id", "hapax"."operation"."failure_code",
        "hapax"."operation"."failure_message", "hapax"."operation"."failure_json",
        "hapax"."operation"."failure_bytes", "hapax"."operation"."resolution_id",
        "hapax"."operation"."resolution", "hapax"."operation"."resolution_actor",
        "hapax"."operation"."resolution_principal", "hapax"."operation"."resolution_fence",
        "hapax"."operation"."earlier_failures", "hapax"."operation"."earlier_resolutions",
        "hapax"."operation"."pending_intent"
      from "hapax"."operation"
      where (
        "hapax"."operation"."workspace" = ? and "hapax"."operation"."state" in (1, 2, 3) and true
          and true and true and true and true
          and (
            "hapax"."operation"."started_at" < cast(? as timestamp(6) with time zone)
              or (
                "hapax"."operation"."started_at" = cast(? as timestamp(6) with time zone)
                  and "hapax"."operation"."id" > cast(? as uuid)
              )
          )
          and (
            "hapax"."operation"."expires_at" > cast(? as timestamp(6) with time zone)
              or "hapax"."operation"."state" <> ?
          )
      )
      order by "hapax"."operation"."started_at" desc, "hapax"."operation"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."fence",
  "counted"."nonce", "counted"."purge_on", "counted"."state", "counted"."attempt",
  "counted"."started_at", "counted"."ended_at", "counted"."expires_at", "counted"."fingerprint",
  "counted"."account_changing", "counted"."account", "counted"."claim_account",
  "counted"."account_after", "counted"."operation", "counted"."request_id",
  case when "before_it" < 4194304 then "counted"."json" end as "json",
  case when "before_it" < 4194304 then "counted"."bytes" end as "bytes", "counted"."failure_code",
  "counted"."failure_message", "counted"."resolution_id", "counted"."resolution",
  "counted"."resolution_actor", "counted"."resolution_principal", "counted"."resolution_fence",
  "counted"."earlier_failures", "counted"."earlier_resolutions", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."fence", "rows"."nonce",
    "rows"."purge_on", "rows"."state", "rows"."attempt", "rows"."started_at", "rows"."ended_at",
    "rows"."expires_at", "rows"."fingerprint", "rows"."account_changing", "rows"."account",
    "rows"."claim_account", "rows"."account_after", "rows"."operation", "rows"."request_id",
    "rows"."json", "rows"."bytes", "rows"."failure_code", "rows"."failure_message",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions",
    cast(
      coalesce(
        sum((coalesce(octet_length("rows"."json"), 0) + coalesce(octet_length("rows"."bytes"), 0))) over (
          order by "rows"."place" rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."fence", "p"."nonce", "p"."purge_on", "p"."state", "p"."attempt",
      "p"."started_at", "p"."ended_at", "p"."expires_at", "p"."fingerprint", "p"."account_changing",
      "p"."account", "p"."claim_account", "p"."account_after", "p"."operation", "p"."request_id",
      "p"."json", "p"."bytes", "p"."failure_code", "p"."failure_message", "p"."resolution_id",
      "p"."resolution", "p"."resolution_actor", "p"."resolution_principal", "p"."resolution_fence",
      "p"."earlier_failures", "p"."earlier_resolutions"
    from (
      select "hapax"."operation_result"."workspace", "hapax"."operation_result"."id",
        "hapax"."operation_result"."fence", "hapax"."operation_result"."nonce",
        "hapax"."operation_result"."purge_on", "hapax"."operation_result"."state",
        "hapax"."operation_result"."attempt", "hapax"."operation_result"."started_at",
        "hapax"."operation_result"."ended_at", "hapax"."operation_result"."expires_at",
        "hapax"."operation_result"."fingerprint", "hapax"."operation_result"."account_changing",
        "hapax"."operation_result"."account", "hapax"."operation_result"."claim_account",
        "hapax"."operation_result"."account_after", "hapax"."operation_result"."operation",
        "hapax"."operation_result"."request_id", "hapax"."operation_result"."json",
        "hapax"."operation_result"."bytes", "hapax"."operation_result"."failure_code",
        "hapax"."operation_result"."failure_message", "hapax"."operation_result"."resolution_id",
        "hapax"."operation_result"."resolution", "hapax"."operation_result"."resolution_actor",
        "hapax"."operation_result"."resolution_principal",
        "hapax"."operation_result"."resolution_fence",
        "hapax"."operation_result"."earlier_failures",
        "hapax"."operation_result"."earlier_resolutions"
      from "hapax"."operation_result"
      where (
        "hapax"."operation_result"."started_at" >= cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."workspace" = ?
          and "hapax"."operation_result"."state" in (4, 5) and true and true and true and true
          and true
          and (
            "hapax"."operation_result"."started_at" < cast(? as timestamp(6) with time zone)
              or (
                "hapax"."operation_result"."started_at" = cast(? as timestamp(6) with time zone)
                  and "hapax"."operation_result"."id" > cast(? as uuid)
              )
          ) and "hapax"."operation_result"."expires_at" > cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."purge_on" >= current_date
      )
      order by "hapax"."operation_result"."started_at" desc, "hapax"."operation_result"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."fence",
  "counted"."nonce", "counted"."purge_on", "counted"."state", "counted"."attempt",
  "counted"."started_at", "counted"."ended_at", "counted"."expires_at", "counted"."fingerprint",
  "counted"."account_changing", "counted"."account", "counted"."claim_account",
  "counted"."account_after", "counted"."operation", "counted"."request_id",
  case when "before_it" < 4194304 then "counted"."json" end as "json",
  case when "before_it" < 4194304 then "counted"."bytes" end as "bytes", "counted"."failure_code",
  "counted"."failure_message", "counted"."resolution_id", "counted"."resolution",
  "counted"."resolution_actor", "counted"."resolution_principal", "counted"."resolution_fence",
  "counted"."earlier_failures", "counted"."earlier_resolutions", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."fence", "rows"."nonce",
    "rows"."purge_on", "rows"."state", "rows"."attempt", "rows"."started_at", "rows"."ended_at",
    "rows"."expires_at", "rows"."fingerprint", "rows"."account_changing", "rows"."account",
    "rows"."claim_account", "rows"."account_after", "rows"."operation", "rows"."request_id",
    "rows"."json", "rows"."bytes", "rows"."failure_code", "rows"."failure_message",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions",
    cast(
      coalesce(
        sum((coalesce(octet_length("rows"."json"), 0) + coalesce(octet_length("rows"."bytes"), 0))) over (
          order by "rows"."place" rows between unbounded preceding and 1 preceding
        ), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."fence", "p"."nonce", "p"."purge_on", "p"."state", "p"."attempt",
      "p"."started_at", "p"."ended_at", "p"."expires_at", "p"."fingerprint", "p"."account_changing",
      "p"."account", "p"."claim_account", "p"."account_after", "p"."operation", "p"."request_id",
      "p"."json", "p"."bytes", "p"."failure_code", "p"."failure_message", "p"."resolution_id",
      "p"."resolution", "p"."resolution_actor", "p"."resolution_principal", "p"."resolution_fence",
      "p"."earlier_failures", "p"."earlier_resolutions"
    from (
      select "hapax"."operation_result"."workspace", "hapax"."operation_result"."id",
        "hapax"."operation_result"."fence", "hapax"."operation_result"."nonce",
        "hapax"."operation_result"."purge_on", "hapax"."operation_result"."state",
        "hapax"."operation_result"."attempt", "hapax"."operation_result"."started_at",
        "hapax"."operation_result"."ended_at", "hapax"."operation_result"."expires_at",
        "hapax"."operation_result"."fingerprint", "hapax"."operation_result"."account_changing",
        "hapax"."operation_result"."account", "hapax"."operation_result"."claim_account",
        "hapax"."operation_result"."account_after", "hapax"."operation_result"."operation",
        "hapax"."operation_result"."request_id", "hapax"."operation_result"."json",
        "hapax"."operation_result"."bytes", "hapax"."operation_result"."failure_code",
        "hapax"."operation_result"."failure_message", "hapax"."operation_result"."resolution_id",
        "hapax"."operation_result"."resolution", "hapax"."operation_result"."resolution_actor",
        "hapax"."operation_result"."resolution_principal",
        "hapax"."operation_result"."resolution_fence",
        "hapax"."operation_result"."earlier_failures",
        "hapax"."operation_result"."earlier_resolutions"
      from "hapax"."operation_result"
      where (
        "hapax"."operation_result"."started_at" < cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."started_at" >= cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."workspace" = ?
          and "hapax"."operation_result"."state" in (4, 5) and true and true and true and true
          and true
          and (
            "hapax"."operation_result"."started_at" < cast(? as timestamp(6) with time zone)
              or (
                "hapax"."operation_result"."started_at" = cast(? as timestamp(6) with time zone)
                  and "hapax"."operation_result"."id" > cast(? as uuid)
              )
          ) and "hapax"."operation_result"."expires_at" > cast(? as timestamp(6) with time zone)
          and "hapax"."operation_result"."purge_on" >= current_date
      )
      order by "hapax"."operation_result"."started_at" desc, "hapax"."operation_result"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
COMMIT;

-- list in doubt
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."state",
  "counted"."attempt", "counted"."nonce", "counted"."fence", "counted"."started_at",
  "counted"."expires_at", "counted"."until", "counted"."fingerprint", "counted"."attempt_id",
  "counted"."account_changing", "counted"."hold", "counted"."account", "counted"."claim_account",
  "counted"."operation", "counted"."request_id", "counted"."failure_code",
  "counted"."failure_message",
  case when "before_it" < 4194304 then "counted"."failure_json" end as "failure_json",
  case when "before_it" < 4194304 then "counted"."failure_bytes" end as "failure_bytes",
  "counted"."resolution_id", "counted"."resolution", "counted"."resolution_actor",
  "counted"."resolution_principal", "counted"."resolution_fence", "counted"."earlier_failures",
  "counted"."earlier_resolutions", "counted"."pending_intent", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."state", "rows"."attempt",
    "rows"."nonce", "rows"."fence", "rows"."started_at", "rows"."expires_at", "rows"."until",
    "rows"."fingerprint", "rows"."attempt_id", "rows"."account_changing", "rows"."hold",
    "rows"."account", "rows"."claim_account", "rows"."operation", "rows"."request_id",
    "rows"."failure_code", "rows"."failure_message", "rows"."failure_json", "rows"."failure_bytes",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions", "rows"."pending_intent",
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length("rows"."failure_json"), 0)
              + coalesce(octet_length("rows"."failure_bytes"), 0)
          )
        ) over (order by "rows"."place" rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."state", "p"."attempt", "p"."nonce", "p"."fence", "p"."started_at",
      "p"."expires_at", "p"."until", "p"."fingerprint", "p"."attempt_id", "p"."account_changing",
      "p"."hold", "p"."account", "p"."claim_account", "p"."operation", "p"."request_id",
      "p"."failure_code", "p"."failure_message", "p"."failure_json", "p"."failure_bytes",
      "p"."resolution_id", "p"."resolution", "p"."resolution_actor", "p"."resolution_principal",
      "p"."resolution_fence", "p"."earlier_failures", "p"."earlier_resolutions",
      "p"."pending_intent"
    from (
      select "hapax"."operation"."workspace", "hapax"."operation"."id", "hapax"."operation"."state",
        "hapax"."operation"."attempt", "hapax"."operation"."nonce", "hapax"."operation"."fence",
        "hapax"."operation"."started_at", "hapax"."operation"."expires_at",
        "hapax"."operation"."until", "hapax"."operation"."fingerprint",
        "hapax"."operation"."attempt_id", "hapax"."operation"."account_changing",
        "hapax"."operation"."hold", "hapax"."operation"."account",
        "hapax"."operation"."claim_account", "hapax"."operation"."operation",
        "hapax"."operation"."request_id", "hapax"."operation"."failure_code",
        "hapax"."operation"."failure_message", "hapax"."operation"."failure_json",
        "hapax"."operation"."failure_bytes", "hapax"."operation"."resolution_id",
        "hapax"."operation"."resolution", "hapax"."operation"."resolution_actor",
        "hapax"."operation"."resolution_principal", "hapax"."operation"."resolution_fence",
        "hapax"."operation"."earlier_failures", "hapax"."operation"."earlier_resolutions",
        "hapax"."operation"."pending_intent"
      from "hapax"."operation"
      where (
        (
          "hapax"."operation"."state" = ?
            or (
              "hapax"."operation"."state" = ? and "hapax"."operation"."hold" = true
                and "hapax"."operation"."until" <= cast(? as timestamp(6) with time zone)
            )
        ) and "hapax"."operation"."workspace" = ? and "hapax"."operation"."state" in (1, 2) and true
          and true and true and true and true
          and (
            "hapax"."operation"."expires_at" > cast(? as timestamp(6) with time zone)
              or "hapax"."operation"."state" <> ?
          )
      )
      order by "hapax"."operation"."started_at" desc, "hapax"."operation"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
COMMIT;

-- list by every other filter
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT set_config('hapax.scope', ?, false);
SELECT clock_timestamp();
select "counted"."place", "counted"."workspace", "counted"."id", "counted"."state",
  "counted"."attempt", "counted"."nonce", "counted"."fence", "counted"."started_at",
  "counted"."expires_at", "counted"."until", "counted"."fingerprint", "counted"."attempt_id",
  "counted"."account_changing", "counted"."hold", "counted"."account", "counted"."claim_account",
  "counted"."operation", "counted"."request_id", "counted"."failure_code",
  "counted"."failure_message",
  case when "before_it" < 4194304 then "counted"."failure_json" end as "failure_json",
  case when "before_it" < 4194304 then "counted"."failure_bytes" end as "failure_bytes",
  "counted"."resolution_id", "counted"."resolution", "counted"."resolution_actor",
  "counted"."resolution_principal", "counted"."resolution_fence", "counted"."earlier_failures",
  "counted"."earlier_resolutions", "counted"."pending_intent", "before_it"
from (
  select "rows"."place", "rows"."workspace", "rows"."id", "rows"."state", "rows"."attempt",
    "rows"."nonce", "rows"."fence", "rows"."started_at", "rows"."expires_at", "rows"."until",
    "rows"."fingerprint", "rows"."attempt_id", "rows"."account_changing", "rows"."hold",
    "rows"."account", "rows"."claim_account", "rows"."operation", "rows"."request_id",
    "rows"."failure_code", "rows"."failure_message", "rows"."failure_json", "rows"."failure_bytes",
    "rows"."resolution_id", "rows"."resolution", "rows"."resolution_actor",
    "rows"."resolution_principal", "rows"."resolution_fence", "rows"."earlier_failures",
    "rows"."earlier_resolutions", "rows"."pending_intent",
    cast(
      coalesce(
        sum(
          (
            coalesce(octet_length("rows"."failure_json"), 0)
              + coalesce(octet_length("rows"."failure_bytes"), 0)
          )
        ) over (order by "rows"."place" rows between unbounded preceding and 1 preceding), 0
      ) as bigint
    ) as "before_it"
  from (
    select row_number() over (order by "p"."started_at" desc, "p"."id") as "place", "p"."workspace",
      "p"."id", "p"."state", "p"."attempt", "p"."nonce", "p"."fence", "p"."started_at",
      "p"."expires_at", "p"."until", "p"."fingerprint", "p"."attempt_id", "p"."account_changing",
      "p"."hold", "p"."account", "p"."claim_account", "p"."operation", "p"."request_id",
      "p"."failure_code", "p"."failure_message", "p"."failure_json", "p"."failure_bytes",
      "p"."resolution_id", "p"."resolution", "p"."resolution_actor", "p"."resolution_principal",
      "p"."resolution_fence", "p"."earlier_failures", "p"."earlier_resolutions",
      "p"."pending_intent"
    from (
      select "hapax"."operation"."workspace", "hapax"."operation"."id", "hapax"."operation"."state",
        "hapax"."operation"."attempt", "hapax"."operation"."nonce", "hapax"."operation"."fence",
        "hapax"."operation"."started_at", "hapax"."operation"."expires_at",
        "hapax"."operation"."until", "hapax"."operation"."fingerprint",
        "hapax"."operation"."attempt_id", "hapax"."operation"."account_changing",
        "hapax"."operation"."hold", "hapax"."operation"."account",
        "hapax"."operation"."claim_account", "hapax"."operation"."operation",
        "hapax"."operation"."request_id", "hapax"."operation"."failure_code",
        "hapax"."operation"."failure_message", "hapax"."operation"."failure_json",
        "hapax"."operation"."failure_bytes", "hapax"."operation"."resolution_id",
        "hapax"."operation"."resolution", "hapax"."operation"."resolution_actor",
        "hapax"."operation"."resolution_principal", "hapax"."operation"."resolution_fence",
        "hapax"."operation"."earlier_failures", "hapax"."operation"."earlier_resolutions",
        "hapax"."operation"."pending_intent"
      from "hapax"."operation"
      where (
        "hapax"."operation"."workspace" = ? and "hapax"."operation"."state" in (3)
          and ("hapax"."operation"."operation" = ANY (cast(? as varchar[])))
          and "hapax"."operation"."failure_code" = ?
          and "hapax"."operation"."started_at" >= cast(? as timestamp(6) with time zone)
          and "hapax"."operation"."started_at" < cast(? as timestamp(6) with time zone)
          and "hapax"."operation"."until" >= cast(? as timestamp(6) with time zone)
          and "hapax"."operation"."until" < cast(? as timestamp(6) with time zone)
          and (
            "hapax"."operation"."expires_at" > cast(? as timestamp(6) with time zone)
              or "hapax"."operation"."state" <> ?
          )
      )
      order by "hapax"."operation"."started_at" desc, "hapax"."operation"."id"
      fetch next 51 rows only
    ) as "p"
  ) as "rows"
) as "counted"
order by "place";
COMMIT;

-- ended
SELECT set_config('hapax.scope', ?, false);
select k.n
from unnest(?::varchar[], ?::uuid[]) WITH ORDINALITY AS "k"("workspace", "id", "n")
where not exists (
  select 1 as one
  from hapax.operation
  where (
    hapax.operation.workspace = k.workspace and hapax.operation.id = k.id
      and hapax.operation.state = 1
  )
);

-- forgotten
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
select hapax.operation.workspace, hapax.operation.id, hapax.operation.expires_at
from hapax.operation
where (
  hapax.operation.state = 3
    and hapax.operation.expires_at <= cast(current_timestamp as timestamp with time zone)
    and hapax.operation.expires_at >= cast(? as timestamp(6) with time zone)
    and ((SELECT true FROM hapax.moved WHERE moved.workspace = operation.workspace) IS NULL)
)
order by hapax.operation.expires_at
fetch next ? rows only;
