package dev.hapax.bootstrap.startup.lifecycle;

import java.util.List;

/** Lifecycle or janitor files are invalid; the message lists the problems of all files. */
public final class InvalidLifecyclesException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param consequence text about what was not done
   */
  public InvalidLifecyclesException(String consequence, List<String> problems) {
    super(consequence + ":\n  - " + String.join("\n  - ", problems));
  }
}
