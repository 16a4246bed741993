package dev.hapax.domain.cell;

/** How the rows of a workspace get to another cell. */
public enum MoveMethod {
  /** Logical replication of PostgreSQL: writes go on while the rows are copied. */
  REPLICATION,
  /** COPY of each table, while the workspace is not written. */
  COPY
}
