package dev.hapax.bootstrap.cli.call;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses enum values as typed ({@code running}) or as {@code --json} prints them ({@code
 * RUN_STATUS_RUNNING}).
 */
public final class EnumOption {
  private EnumOption() {}

  /**
   * Parses a value.
   *
   * @param prefix prefix of the names in the API, such as {@code RUN_STATUS_}
   */
  public static <E extends Enum<E>> E parse(Class<E> type, String prefix, String text) {
    var name = text.toUpperCase(Locale.ROOT).replace('-', '_');
    var bare = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
    return Arrays.stream(type.getEnumConstants())
        .filter(value -> value.name().equals(bare))
        .findFirst()
        .orElseThrow(
            () -> new TypeConversionException("'" + text + "' is not one of " + values(type)));
  }

  private static <E extends Enum<E>> String values(Class<E> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(Object::toString)
        .collect(Collectors.joining(", "));
  }
}
