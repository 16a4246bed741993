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

-- When a janitor last looked. Apart, so that no round waits for who begins something.
CREATE TABLE janitor_round (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  module    varchar(255) COLLATE "C" NOT NULL,
  at        timestamptz  NOT NULL,
  freed     integer      NOT NULL,
  complete  boolean      NOT NULL,
  PRIMARY KEY (workspace, module)
) WITH (fillfactor = 50);
