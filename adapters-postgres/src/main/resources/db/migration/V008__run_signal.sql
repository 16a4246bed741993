-- The inboxes of runs. What a signal says is in the event of its arrival, which has this version.
CREATE TABLE run_signal (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  run_id    uuid         NOT NULL,
  id        varchar(255) COLLATE "C" NOT NULL,
  version   bigint       NOT NULL,
  type      varchar(255) COLLATE "C" NOT NULL,
  consumed  boolean      NOT NULL,
  PRIMARY KEY (workspace, run_id, id)
);

CREATE INDEX run_signal_unconsumed ON run_signal (workspace, run_id, version) WHERE NOT consumed;
