-- Which database roles may post which intents in which workspaces. `hapax sql` writes it.
CREATE TABLE sql_grant (
  role       name         NOT NULL,
  workspace  varchar(63)  COLLATE "C" NOT NULL,
  -- names of functions, such as start_run
  verbs      text[]       COLLATE "C" NOT NULL,
  granted_at timestamptz  NOT NULL,
  -- the user of the operating system
  granted_by varchar(255) COLLATE "C" NOT NULL,
  PRIMARY KEY (role, workspace)
);

ALTER TABLE sql_grant ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_in_scope ON sql_grant
  USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE);
