-- The servers of this database. Each process has a row, which it renews every ten seconds and removes when it stops.
CREATE TABLE node (
  id         uuid        NOT NULL PRIMARY KEY,
  version    text        COLLATE "C" NOT NULL,
  -- the newest feature that it knows; 0 = none
  features   integer     NOT NULL CHECK (features >= 0),
  -- when the row was inserted: at the start, or later if the row had gone
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The servers that run, as far as the database knows.
CREATE VIEW live_node AS
  SELECT id, version, features, started_at, seen_at FROM node WHERE seen_at > clock_timestamp() - interval '60 seconds';
