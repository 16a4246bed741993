-- The cells, in the database of the first one: databases with this schema behind one fleet of servers. Their addresses are
-- settings of servers.
CREATE TABLE cell (
  name  varchar(63) COLLATE "C" NOT NULL PRIMARY KEY,
  -- active: workspaces may be placed in it
  state varchar(16) COLLATE "C" NOT NULL DEFAULT 'active'
);

INSERT INTO cell (name) VALUES ('default');
