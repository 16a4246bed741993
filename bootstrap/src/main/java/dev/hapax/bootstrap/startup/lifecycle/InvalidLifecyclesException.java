package dev.hapax.bootstrap.startup.lifecycle;

import java.util.List;

/** Files have no valid lifecycles or janitors; all that is wrong with all of them. */
public final class InvalidLifecyclesException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * With the problems.
   *
   * @param consequence what was not done
   */
  public InvalidLifecyclesException(String consequence, List<String> problems) {
    super(consequence + ":\n  - " + String.join("\n  - ", problems));
  }
}
