-- What operators set. The empty key stands for all values without a setting.
CREATE TABLE limit_setting (
  workspace        varchar(63) COLLATE "C" NOT NULL,
  of_definitions   boolean     NOT NULL,
  name             text        COLLATE "C" NOT NULL,
  key              text        COLLATE "C" NOT NULL,
  -- null = that of the steps or definitions; without a rate as well, the setting was removed
  max_running      integer,
  set_at           timestamptz NOT NULL,
  set_by           text        COLLATE "C" NOT NULL,
  set_by_principal text        COLLATE "C",
  reason           text        COLLATE "C" NOT NULL,
  -- the rate, per microseconds; null = that of the steps or definitions
  max_starts       integer,
  per              bigint,
  PRIMARY KEY (workspace, name, key, of_definitions)
);

SELECT hapax.raise_wall('limit_setting');
