package dev.hapax.postgres.schema;

/** Whether a server uses row-level security. */
public enum RowLevelSecurity {
  /** If the roles of the database are there and the user may assume them. */
  AUTO,
  /** Always; a server without the roles does not start. */
  ON,
  /** Never. */
  OFF
}
