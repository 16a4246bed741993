-- What entities go through. What it says is in lifecycle_version, in the row of this version: every batch that
-- begins something reads this one, and knows what a version says, since that never changes.
CREATE TABLE lifecycle (
  workspace            varchar(63)  COLLATE "C" NOT NULL,
  name                 varchar(255) COLLATE "C" NOT NULL,
  version              bigint       NOT NULL,
  applied_at           timestamptz  NOT NULL,
  -- who applied this version, and why; empty = not given
  applied_by           varchar(255) COLLATE "C" NOT NULL,
  -- that the server verified; null = the server itself, or one that did not authenticate
  applied_by_principal varchar(300) COLLATE "C",
  reason               varchar(255) COLLATE "C" NOT NULL,
  -- statuses that are to go: a JSON array, whose change wants it, and how long it has for that
  retiring             text         COLLATE "C",
  retiring_nonce       bigint,
  retiring_until       timestamptz,
  PRIMARY KEY (workspace, name)
);

-- Each version as it was applied, as a JSON object. A row never changes.
CREATE TABLE lifecycle_version (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  name      varchar(255) COLLATE "C" NOT NULL,
  version   bigint       NOT NULL,
  document  text         COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, name, version)
);
