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
