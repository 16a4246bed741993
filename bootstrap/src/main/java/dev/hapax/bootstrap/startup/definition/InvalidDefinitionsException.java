package dev.hapax.bootstrap.startup.definition;

import java.util.List;

/** Files are no valid definitions; all that is wrong with all of them. */
public final class InvalidDefinitionsException extends Exception {
  private static final long serialVersionUID = 1L;

  public InvalidDefinitionsException(List<String> problems) {
    super("nothing was registered:\n  - " + String.join("\n  - ", problems));
  }
}
