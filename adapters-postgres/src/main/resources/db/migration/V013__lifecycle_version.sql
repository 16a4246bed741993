-- Each version as it was applied, as a JSON object. A row never changes.
CREATE TABLE lifecycle_version (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  name      varchar(255) COLLATE "C" NOT NULL,
  version   bigint       NOT NULL,
  document  text         COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, name, version)
);
