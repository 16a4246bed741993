package dev.hapax.bootstrap.config;

import java.util.List;

/** The configuration cannot be used; every reason at once, so that one correction suffices. */
public final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1L;

  public ConfigurationException(List<String> problems) {
    super(
        problems.size() == 1
            ? problems.getFirst()
            : "the configuration has "
                + problems.size()
                + " problems:\n  - "
                + String.join("\n  - ", problems));
  }
}
