-- Which runs have a label. A row is written once, where an index of the runs themselves would be written
-- with every change of a run.
CREATE TABLE run_label (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  name      varchar(255) COLLATE "C" NOT NULL,
  value     varchar(255) COLLATE "C" NOT NULL,
  run_id    uuid         NOT NULL,
  PRIMARY KEY (workspace, name, value, run_id)
);
