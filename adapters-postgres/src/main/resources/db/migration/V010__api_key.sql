-- API keys, without their secrets. `hapax key` writes them; servers only read them. Who changes one also raises
-- api_key_revision.
CREATE TABLE api_key (
  id          varchar(12)  COLLATE "C" PRIMARY KEY,
  -- SHA-256, in hexadecimal
  secret_hash varchar(64)  COLLATE "C" NOT NULL,
  -- several live keys of one principal are a rotation
  principal   varchar(255) COLLATE "C" NOT NULL,
  -- such as 'role=worker workspace=eu'
  grants      text[]       COLLATE "C" NOT NULL,
  created_at  timestamptz  NOT NULL,
  -- the user of the operating system
  created_by  varchar(255) COLLATE "C" NOT NULL,
  expires_at  timestamptz,
  revoked_at  timestamptz
);
CREATE INDEX api_key_principal ON api_key (principal, created_at);

-- One row, which every change of a key raises, so that servers notice changes by reading it alone.
CREATE TABLE api_key_revision (revision bigint NOT NULL);
INSERT INTO api_key_revision VALUES (1);
ALTER TABLE api_key_revision REPLICA IDENTITY FULL;

-- When API keys were last used. Servers write it, in a table of its own: the keys themselves they only read.
CREATE TABLE api_key_use (
  id           varchar(12) COLLATE "C" PRIMARY KEY REFERENCES api_key ON DELETE CASCADE,
  -- a full hour
  last_used_at timestamptz NOT NULL
);
