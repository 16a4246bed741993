-- Steps that code has named. What one came to is in the event that recorded it, which has this version.
CREATE TABLE run_step (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  run_id    uuid         NOT NULL,
  step      integer      NOT NULL,
  name      varchar(100) COLLATE "C" NOT NULL,
  version   bigint       NOT NULL,
  PRIMARY KEY (workspace, run_id, step, name)
);
