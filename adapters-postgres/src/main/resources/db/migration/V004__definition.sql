-- What runs go through. A row never changes.
CREATE TABLE definition (
  workspace               varchar(63)  COLLATE "C" NOT NULL,
  name                    varchar(255) COLLATE "C" NOT NULL,
  version                 varchar(255) COLLATE "C" NOT NULL,
  registered_at           timestamptz  NOT NULL,
  -- who registered it, and why; empty = not given
  registered_by           varchar(255) COLLATE "C" NOT NULL,
  -- that the server verified; null = the server itself, or one that did not authenticate
  registered_by_principal varchar(300) COLLATE "C",
  reason                  varchar(255) COLLATE "C" NOT NULL,
  -- a JSON array
  steps                   text         COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, name, version)
);

CREATE INDEX definition_latest ON definition (workspace, name, registered_at, version);
CREATE INDEX definition_newest ON definition (workspace, registered_at, name, version);
