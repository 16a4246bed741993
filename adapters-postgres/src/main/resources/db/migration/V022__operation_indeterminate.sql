-- Operations that wait for an operator are few; they are counted for the metrics every few seconds.
CREATE INDEX operation_indeterminate ON operation (workspace) WHERE state = 2;
