-- The limits that runs have reached, for each value of their key. Runs that wait are in place, with the same hash.
CREATE TABLE limit_line (
  workspace      varchar(63) COLLATE "C" NOT NULL,
  hash           uuid        NOT NULL,
  -- a limit of definitions is another one than that of the same name of steps
  of_definitions boolean     NOT NULL,
  name           text        COLLATE "C" NOT NULL,
  -- the value; empty = that of runs without one
  key            text        COLLATE "C" NOT NULL,
  -- the largest that steps or definitions have declared; 0 = any number
  max_running    integer     NOT NULL,
  -- the last turn that a run drew
  last_turn      bigint      NOT NULL,
  -- the fastest rate that they have declared, per microseconds
  max_starts     integer,
  per            bigint,
  -- the last start that counts for the rate
  started_at     timestamptz,
  -- when the rate lets the run with the turn start that is first in line
  due_at         timestamptz,
  due_turn       bigint,
  PRIMARY KEY (workspace, hash)
) WITH (fillfactor = 50);

CREATE INDEX limit_line_name ON limit_line (workspace, name, key, of_definitions);
CREATE INDEX limit_line_due ON limit_line (due_at) WHERE due_at IS NOT NULL;

SELECT hapax.raise_wall('limit_line');
