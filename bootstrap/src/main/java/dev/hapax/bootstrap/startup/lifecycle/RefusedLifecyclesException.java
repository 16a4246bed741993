package dev.hapax.bootstrap.startup.lifecycle;

import java.util.List;

/** The server rejected valid files; the message lists all reasons. */
public final class RefusedLifecyclesException extends Exception {
  private static final long serialVersionUID = 1L;

  public RefusedLifecyclesException(List<String> problems) {
    super("no lifecycle was applied:\n  - " + String.join("\n  - ", problems));
  }
}
