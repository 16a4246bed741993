-- API keys, without their secrets. `hapax key` writes them; servers only read.
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
