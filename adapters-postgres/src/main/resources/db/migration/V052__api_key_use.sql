-- When API keys were last used. Servers write it, in a table of its own: the keys themselves they only read.
CREATE TABLE api_key_use (
  id           varchar(12) COLLATE "C" PRIMARY KEY REFERENCES api_key ON DELETE CASCADE,
  -- a full hour
  last_used_at timestamptz NOT NULL
);
