package dev.hapax.bootstrap.startup.definition;

import java.util.List;

/** Definition files are invalid; the message lists the problems of all files. */
public final class InvalidDefinitionsException extends Exception {
  private static final long serialVersionUID = 1L;

  public InvalidDefinitionsException(List<String> problems) {
    super("no definition was registered:\n  - " + String.join("\n  - ", problems));
  }
}
