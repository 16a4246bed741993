-- What a module has promised, and what is demanded of it.
CREATE TABLE janitor (
  workspace   varchar(63)  COLLATE "C" NOT NULL,
  module      varchar(255) COLLATE "C" NOT NULL,
  declared_at timestamptz  NOT NULL,
  -- a JSON object; none = it promised nothing
  contract    text         COLLATE "C",
  -- a JSON object: the claim states of each lifecycle
  demands     text         COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, module)
);
