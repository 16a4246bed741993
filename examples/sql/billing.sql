-- What the two modules of examples/java/dev/hapax/examples/billing write to: their own tables, in their own
-- database. Hapax knows nothing of them. `fence` is the highest fence that has written to the row.

-- Of the billing module.
CREATE TABLE billing (
  id          text PRIMARY KEY,
  closed_at   timestamptz,
  total_cents bigint,
  fence       bigint NOT NULL DEFAULT 0
);

CREATE TABLE billing_line (
  billing text NOT NULL REFERENCES billing,
  cents   bigint NOT NULL
);

-- Of the payments module. What an action has inserted carries its fence, so that the janitor finds it.
CREATE TABLE invoice (
  number     text PRIMARY KEY,
  cents      bigint NOT NULL,
  paid_cents bigint NOT NULL DEFAULT 0,
  fence      bigint NOT NULL DEFAULT 0
);

CREATE TABLE document (
  invoice text NOT NULL REFERENCES invoice,
  cents   bigint NOT NULL,
  deleted boolean NOT NULL DEFAULT false,
  fence   bigint NOT NULL DEFAULT 0
);

CREATE TABLE payment (
  invoice text NOT NULL REFERENCES invoice,
  cents   bigint NOT NULL,
  fence   bigint NOT NULL
);
