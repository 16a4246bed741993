package dev.hapax.postgres.cell;

import org.jooq.Condition;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * The workspaces that are in another cell, or on their way from one to the other. Background work
 * leaves their rows alone: they may be incomplete, and each would be refused again and again.
 */
public final class MovedWorkspaces {
  private MovedWorkspaces() {}

  /**
   * Returns the SQL condition that the rows of a table may be used. It is a search by key for each
   * row, where a NOT EXISTS would be planned as a join.
   *
   * @param table its name or alias in the statement
   */
  public static String excluded(String table) {
    return "(SELECT true FROM hapax.moved WHERE moved.workspace = " + table + ".workspace) IS NULL";
  }

  /** Returns the same for jOOQ. */
  public static Condition excluded(Table<?> table) {
    return DSL.condition(excluded(table.getName()));
  }
}
