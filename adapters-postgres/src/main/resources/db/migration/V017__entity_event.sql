-- The histories of entities: append-only, one row for each version. Which columns are used depends on the type.
CREATE TABLE entity_event (
  workspace   varchar(63)  COLLATE "C" NOT NULL,
  lifecycle   varchar(255) COLLATE "C" NOT NULL,
  entity_id   varchar(255) COLLATE "C" NOT NULL,
  version     bigint       NOT NULL,
  at          timestamptz  NOT NULL,
  type        smallint     NOT NULL,
  -- of a failure, or what a module found
  kind        smallint,
  -- none = done without a grant
  nonce       bigint,
  fence       bigint,
  attempt     uuid,
  poll_id     uuid,
  -- the one it left the entity in
  status      varchar(255) COLLATE "C" NOT NULL,
  -- the actor, which is also the holder of a grant; none = the server
  actor       varchar(255) COLLATE "C",
  step        varchar(255) COLLATE "C",
  requester   varchar(255) COLLATE "C",
  from_status varchar(255) COLLATE "C",
  -- none = the status that the step leads from
  revert_to   varchar(255) COLLATE "C",
  to_status   varchar(255) COLLATE "C",
  action      varchar(255) COLLATE "C",
  effect      varchar(255) COLLATE "C",
  module      varchar(255) COLLATE "C",
  request_id  varchar(255) COLLATE "C",
  -- of a failure or a release
  message     text         COLLATE "C",
  PRIMARY KEY (workspace, lifecycle, entity_id, version)
) WITH (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000);

-- An entity has no last event, so a release cannot be looked for among all of them.
CREATE INDEX entity_event_release ON entity_event (workspace, lifecycle, entity_id, request_id)
  WHERE request_id IS NOT NULL;
