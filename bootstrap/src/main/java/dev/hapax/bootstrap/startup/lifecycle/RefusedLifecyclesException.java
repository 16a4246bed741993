package dev.hapax.bootstrap.startup.lifecycle;

import java.util.List;

/** Files that are valid do not fit what is on the server; every reason at once. */
public final class RefusedLifecyclesException extends Exception {
  private static final long serialVersionUID = 1L;

  public RefusedLifecyclesException(List<String> problems) {
    super("nothing was applied:\n  - " + String.join("\n  - ", problems));
  }
}
