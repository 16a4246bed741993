-- The moves of workspaces to other cells that have begun and not ended, in the database of the first cell. Each step is
-- written before it begins, so that another run of the command goes on with it.
CREATE TABLE move (
  workspace varchar(63) COLLATE "C" NOT NULL PRIMARY KEY,
  source    varchar(63) COLLATE "C" NOT NULL REFERENCES cell,
  target    varchar(63) COLLATE "C" NOT NULL REFERENCES cell,
  -- by replication or by copy
  method    varchar(16) COLLATE "C" NOT NULL,
  -- copying; pausing: the workspace is written nowhere; complete: the target has all; switched: the target serves it
  step      varchar(16) COLLATE "C" NOT NULL,
  -- the run of the command that may change the row
  mover     uuid        NOT NULL
);

SELECT hapax.raise_wall('move');
