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
