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

-- One row, which every change of a key raises, so that servers notice changes by reading it alone.
CREATE TABLE api_key_revision (revision bigint NOT NULL);
INSERT INTO api_key_revision VALUES (1);

CREATE FUNCTION raise_api_key_revision() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT AS
$$
BEGIN
  UPDATE api_key_revision SET revision = revision + 1;
  RETURN NULL;
END
$$;

CREATE TRIGGER api_key_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON api_key
  FOR EACH STATEMENT EXECUTE FUNCTION raise_api_key_revision();
