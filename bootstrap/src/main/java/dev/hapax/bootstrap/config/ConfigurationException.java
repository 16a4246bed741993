package dev.hapax.bootstrap.config;

import java.util.List;

/** The configuration is invalid; the message lists all problems. */
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
