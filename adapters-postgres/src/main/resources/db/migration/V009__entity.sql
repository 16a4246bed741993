-- Entities, as their histories left them, with their claims. What never changes comes first: of an update
-- within a page the log then holds only the rest.
CREATE TABLE entity (
  workspace         varchar(63)  COLLATE "C" NOT NULL,
  lifecycle         varchar(255) COLLATE "C" NOT NULL,
  id                varchar(255) COLLATE "C" NOT NULL,
  created_at        timestamptz  NOT NULL,
  version           bigint       NOT NULL,
  fence             bigint       NOT NULL,
  -- how the last grant ended: whose, with which version, and how
  ended_nonce       bigint,
  ended_version     bigint,
  -- taken: until when, since when, and the grant of the action
  lease_until       timestamptz,
  since             timestamptz,
  nonce             bigint,
  attempt           uuid,
  -- recovering: the fence of the lost grant, and the grant of the janitor; its fence is the entity's
  lost_fence        bigint,
  recovery_nonce    bigint,
  poll_id           uuid,
  -- the intent that completes the action: hapax.complete_action set it, and no server has taken it yet. Until then
  -- servers do not decide on the row. Each write of a server clears it.
  pending_intent    uuid,
  -- free (1), claimed (2), recovering (3)
  hold              smallint     NOT NULL CHECK (hold BETWEEN 1 AND 3),
  -- completed (1), failed (2), lease lost (3), released (4), found done (5), found undone (6)
  ended             smallint,
  -- taken: the claim state
  status            varchar(255) COLLATE "C" NOT NULL,
  -- taken: the step, as its requester took it
  module            varchar(255) COLLATE "C",
  step              varchar(255) COLLATE "C",
  requester         varchar(255) COLLATE "C",
  from_status       varchar(255) COLLATE "C",
  revert_to         varchar(255) COLLATE "C",
  to_status         varchar(255) COLLATE "C",
  action            varchar(255) COLLATE "C",
  effect            varchar(255) COLLATE "C",
  -- which definition the after-effect follows; none = the one that the lifecycle brings along for its name
  effect_definition varchar(255) COLLATE "C",
  effect_version    varchar(255) COLLATE "C",
  -- the holder, and the worker that recovers the entity; principals as the server verified them, null = it did not
  -- authenticate
  holder            varchar(255) COLLATE "C",
  holder_principal  varchar(300) COLLATE "C",
  worker            varchar(255) COLLATE "C",
  worker_principal  varchar(300) COLLATE "C",
  -- the request of the last release
  released          varchar(255) COLLATE "C",
  PRIMARY KEY (workspace, lifecycle, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000);

-- For stale and for claimed entities, page by page. Free entities are not in these indexes.
CREATE INDEX entity_taken ON entity (workspace, module, lease_until) WHERE hold <> 1;
CREATE INDEX entity_claimed ON entity (workspace, lifecycle, id) WHERE hold <> 1;
CREATE INDEX entity_poll ON entity (workspace, poll_id) WHERE poll_id IS NOT NULL;

-- For lists, and to find out whether a status is empty. Claimed entities are found by the indexes above.
CREATE INDEX entity_status ON entity (workspace, lifecycle, status, id) WHERE hold = 1;

-- The histories of entities: append-only, one row for each version. Which columns are used depends on the type.
CREATE TABLE entity_event (
  workspace         varchar(63)  COLLATE "C" NOT NULL,
  lifecycle         varchar(255) COLLATE "C" NOT NULL,
  entity_id         varchar(255) COLLATE "C" NOT NULL,
  version           bigint       NOT NULL,
  at                timestamptz  NOT NULL,
  type              smallint     NOT NULL,
  -- of a failure, or what a module found
  kind              smallint,
  -- none = done without a grant
  nonce             bigint,
  fence             bigint,
  attempt           uuid,
  poll_id           uuid,
  -- the one it left the entity in
  status            varchar(255) COLLATE "C" NOT NULL,
  -- the actor, which is also the holder of a grant; none = the server
  actor             varchar(255) COLLATE "C",
  -- that the server verified beside the actor; none = the server itself, or one that did not authenticate
  principal         varchar(300) COLLATE "C",
  step              varchar(255) COLLATE "C",
  requester         varchar(255) COLLATE "C",
  from_status       varchar(255) COLLATE "C",
  -- none = the status that the step leads from
  revert_to         varchar(255) COLLATE "C",
  to_status         varchar(255) COLLATE "C",
  action            varchar(255) COLLATE "C",
  effect            varchar(255) COLLATE "C",
  -- of a grant: which definition the after-effect follows; none = the one that the lifecycle brings along for its name
  effect_definition varchar(255) COLLATE "C",
  effect_version    varchar(255) COLLATE "C",
  module            varchar(255) COLLATE "C",
  request_id        varchar(255) COLLATE "C",
  -- of a failure or a release
  message           text         COLLATE "C",
  -- what the caller kept of an action that succeeded; in one of two columns, or none
  output_json       text         COLLATE "C",
  output_bytes      bytea,
  PRIMARY KEY (workspace, lifecycle, entity_id, version)
) WITH (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000);

-- An entity has no last event, so a release cannot be looked for among all of them.
CREATE INDEX entity_event_release ON entity_event (workspace, lifecycle, entity_id, request_id)
  WHERE request_id IS NOT NULL;

-- The last deletion of an entity: where one that is created again under its id goes on, and which histories are
-- still to be removed. The deletion itself is an event, which stays.
CREATE TABLE entity_deletion (
  workspace  varchar(63)  COLLATE "C" NOT NULL,
  lifecycle  varchar(255) COLLATE "C" NOT NULL,
  id         varchar(255) COLLATE "C" NOT NULL,
  -- of its event
  version    bigint       NOT NULL,
  fence      bigint       NOT NULL,
  deleted_at timestamptz  NOT NULL,
  -- the events before it are removed
  purged     boolean      NOT NULL,
  request_id varchar(255) COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, lifecycle, id)
);

CREATE INDEX entity_deletion_at ON entity_deletion (purged, deleted_at);
