-- The cells of workspaces, in the database of the first cell. A workspace without a row is in the first cell. Rows are
-- never deleted, since servers read only those that changed.
CREATE TABLE placement (
  workspace varchar(63) COLLATE "C" NOT NULL PRIMARY KEY,
  cell      varchar(63) COLLATE "C" NOT NULL REFERENCES cell,
  -- that of the last change; changes of all workspaces have consecutive numbers, in the order of their commits
  epoch     bigint      NOT NULL UNIQUE
);

SELECT hapax.raise_wall('placement');
