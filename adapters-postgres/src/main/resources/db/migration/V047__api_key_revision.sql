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
