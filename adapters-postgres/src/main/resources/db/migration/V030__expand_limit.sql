-- The limits that runs have reached, for each value of their key. Runs that wait are in place, with the same hash.
CREATE TABLE limit_line (
  workspace   varchar(63) COLLATE "C" NOT NULL,
  hash        uuid        NOT NULL,
  -- a limit of definitions, which is another one than that of the same name of steps
  of_definitions boolean  NOT NULL,
  name        text        COLLATE "C" NOT NULL,
  -- the value; empty = that of runs without one
  key         text        COLLATE "C" NOT NULL,
  -- the largest that steps have declared
  max_running integer     NOT NULL,
  -- the last turn that a run drew
  last_turn   bigint      NOT NULL,
  PRIMARY KEY (workspace, hash)
) WITH (fillfactor = 50);

CREATE INDEX limit_line_name ON limit_line (workspace, name, key, of_definitions);

-- The runs that limits have admitted. A slot counts only while its run is ready or held with this turn, or until the run
-- ends if the limit is one of its definition, so the end of an attempt or a run writes nothing here.
CREATE TABLE slot (
  workspace varchar(63) COLLATE "C" NOT NULL,
  hash      uuid        NOT NULL,
  turn      bigint      NOT NULL,
  run_id    uuid        NOT NULL,
  PRIMARY KEY (workspace, hash, turn)
);

-- What operators set. The empty key stands for all values without a setting.
CREATE TABLE limit_setting (
  workspace        varchar(63) COLLATE "C" NOT NULL,
  of_definitions   boolean     NOT NULL,
  name             text        COLLATE "C" NOT NULL,
  key              text        COLLATE "C" NOT NULL,
  -- null = the setting was removed
  max_running      integer,
  set_at           timestamptz NOT NULL,
  set_by           text        COLLATE "C" NOT NULL,
  set_by_principal text        COLLATE "C",
  reason           text        COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, name, key, of_definitions)
);

ALTER TABLE limit_line ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_in_scope ON limit_line
  USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE);
ALTER TABLE slot ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_in_scope ON slot
  USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE);
ALTER TABLE limit_setting ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_in_scope ON limit_setting
  USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE);
