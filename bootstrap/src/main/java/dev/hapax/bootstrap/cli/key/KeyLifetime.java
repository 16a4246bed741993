package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.OptionValues;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * How long a new key is valid.
 *
 * @param duration empty = until it is revoked
 */
record KeyLifetime(Optional<Duration> duration) {
  private static final String NEVER = "never";

  /** Reads the option {@code --expires}. */
  static KeyLifetime read(CommandSpec spec, String text) {
    return new KeyLifetime(
        NEVER.equals(text)
            ? Optional.empty()
            : Optional.of(OptionValues.duration(spec, "--expires", text)));
  }
}
