package dev.hapax.bootstrap.lifecycle;

import java.util.List;

/** Files that are valid do not fit what is on the server; every reason at once. */
final class RefusedLifecyclesException extends Exception {
  private static final long serialVersionUID = 1L;

  RefusedLifecyclesException(List<String> problems) {
    super("nothing was applied:\n  - " + String.join("\n  - ", problems));
  }
}
