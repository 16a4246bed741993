package dev.hapax.bootstrap.cli.run;

import dev.hapax.v1.QueueFull;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The policies for a token for which as many runs wait as may. */
enum QueueFullOption {
  REJECT,
  SUPERSEDE;

  QueueFull wire() {
    return QueueFull.valueOf("QUEUE_FULL_" + name());
  }

  /** Returns the name as typed in options. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses the name as typed. */
  static final class Converter implements ITypeConverter<QueueFullOption> {
    @Override
    public QueueFullOption convert(String text) {
      return Arrays.stream(values())
          .filter(policy -> text.equalsIgnoreCase(policy.name()))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'%s' is not one of %s".formatted(text, Arrays.toString(values()))));
    }
  }
}
