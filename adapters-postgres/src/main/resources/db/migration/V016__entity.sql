-- Entities, as their histories left them, with their claims. What never changes comes first: of an update
-- within a page the log then holds only the rest.
CREATE TABLE entity (
  workspace       varchar(63)  COLLATE "C" NOT NULL,
  lifecycle       varchar(255) COLLATE "C" NOT NULL,
  id              varchar(255) COLLATE "C" NOT NULL,
  created_at      timestamptz  NOT NULL,
  version         bigint       NOT NULL,
  fence           bigint       NOT NULL,
  -- how the last grant ended: whose, with which version, and how
  ended_nonce     bigint,
  ended_version   bigint,
  -- taken: until when, since when, and the grant of the action
  lease_until     timestamptz,
  since           timestamptz,
  nonce           bigint,
  attempt         uuid,
  -- recovering: the fence of the lost grant, and the grant of the janitor; its fence is the entity's
  lost_fence      bigint,
  recovery_nonce  bigint,
  poll_id         uuid,
  -- free (1), claimed (2), recovering (3)
  hold            smallint     NOT NULL CHECK (hold BETWEEN 1 AND 3),
  -- completed (1), failed (2), lease lost (3), released (4), found done (5), found undone (6)
  ended           smallint,
  -- taken: the claim state
  status          varchar(255) COLLATE "C" NOT NULL,
  -- taken: the step, as its requester took it
  module          varchar(255) COLLATE "C",
  step            varchar(255) COLLATE "C",
  requester       varchar(255) COLLATE "C",
  from_status     varchar(255) COLLATE "C",
  revert_to       varchar(255) COLLATE "C",
  to_status       varchar(255) COLLATE "C",
  action          varchar(255) COLLATE "C",
  effect          varchar(255) COLLATE "C",
  holder          varchar(255) COLLATE "C",
  worker          varchar(255) COLLATE "C",
  -- the request of the last release
  released        varchar(255) COLLATE "C",
  PRIMARY KEY (workspace, lifecycle, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000);

-- For stale and for claimed entities, page by page. Free entities are not in these indexes.
CREATE INDEX entity_taken ON entity (workspace, module, lease_until) WHERE hold <> 1;
CREATE INDEX entity_claimed ON entity (workspace, lifecycle, id) WHERE hold <> 1;
CREATE INDEX entity_poll ON entity (workspace, poll_id) WHERE poll_id IS NOT NULL;

-- For lists, and to find out whether a status is empty. Claimed entities are found by the indexes above.
CREATE INDEX entity_status ON entity (workspace, lifecycle, status, id) WHERE hold = 1;
