package dev.hapax.bootstrap.cli;

import dev.hapax.domain.DurationText;
import dev.hapax.domain.InvalidValueException;
import java.time.Duration;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Converts options; an invalid value is a usage error that names the option. */
public final class OptionValues {
  private OptionValues() {}

  public static <T> T read(CommandSpec spec, String option, Supplier<T> value) {
    try {
      return value.get();
    } catch (InvalidValueException e) {
      throw new ParameterException(spec.commandLine(), option + ": " + e.rule(), e);
    }
  }

  public static Duration duration(CommandSpec spec, String option, String text) {
    return read(spec, option, () -> DurationText.parse(text));
  }
}
