-- The runs that limits have admitted. A slot counts only while its run is ready or held with this turn, or until the run
-- ends if the limit is one of its definition, so the end of an attempt or a run writes nothing here.
CREATE TABLE slot (
  workspace varchar(63) COLLATE "C" NOT NULL,
  hash      uuid        NOT NULL,
  turn      bigint      NOT NULL,
  run_id    uuid        NOT NULL,
  PRIMARY KEY (workspace, hash, turn)
);

SELECT hapax.raise_wall('slot');
