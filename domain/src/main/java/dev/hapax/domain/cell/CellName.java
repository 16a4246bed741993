package dev.hapax.domain.cell;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;

/** The name of a cell. */
public record CellName(String text) {
  /** The cell of workspaces that are placed in no other one; its database has the directory. */
  public static final CellName DEFAULT = new CellName("default");

  public CellName {
    if (!Workspace.isValid(text)) {
      throw new InvalidValueException(Workspace.RULE);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
