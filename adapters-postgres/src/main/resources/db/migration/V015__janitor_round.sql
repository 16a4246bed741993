-- When a janitor last looked. Apart, so that no round waits for who begins something.
CREATE TABLE janitor_round (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  module    varchar(255) COLLATE "C" NOT NULL,
  at        timestamptz  NOT NULL,
  freed     integer      NOT NULL,
  complete  boolean      NOT NULL,
  -- when it last saw all there was, or freed something; none = never
  got_on    timestamptz,
  PRIMARY KEY (workspace, module)
) WITH (fillfactor = 50);
