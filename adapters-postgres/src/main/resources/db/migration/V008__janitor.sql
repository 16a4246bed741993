-- What a module has promised, and what is demanded of it.
CREATE TABLE janitor (
  workspace             varchar(63)  COLLATE "C" NOT NULL,
  module                varchar(255) COLLATE "C" NOT NULL,
  declared_at           timestamptz  NOT NULL,
  -- who declared the contract as it is, and why; empty = not given
  declared_by           varchar(255) COLLATE "C" NOT NULL,
  -- that the server verified; null = the server itself, or one that did not authenticate
  declared_by_principal varchar(300) COLLATE "C",
  reason                varchar(255) COLLATE "C" NOT NULL,
  -- a JSON object; none = it promised nothing
  contract              text         COLLATE "C",
  -- a JSON object: the claim states of each lifecycle
  demands               text         COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, module)
);

-- The last sweep of a janitor. A table of its own, so that no sweep waits for commands that read the janitor.
CREATE TABLE janitor_round (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  module    varchar(255) COLLATE "C" NOT NULL,
  at        timestamptz  NOT NULL,
  freed     integer      NOT NULL,
  complete  boolean      NOT NULL,
  -- the last sweep that was complete or freed something; none = never
  got_on    timestamptz,
  PRIMARY KEY (workspace, module)
) WITH (fillfactor = 50);
