package dev.hapax.bootstrap.cli.call;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/**
 * Values of an enum as they are typed: {@code running}, or {@code RUN_STATUS_RUNNING} as {@code
 * --json} prints it.
 */
public final class EnumOption {
  private EnumOption() {}

  /**
   * The value that is typed.
   *
   * @param prefix of the names in the API, such as {@code RUN_STATUS_}
   */
  public static <E extends Enum<E>> E parse(Class<E> type, String prefix, String text) {
    var name = text.toUpperCase(Locale.ROOT).replace('-', '_');
    var bare = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
    return Arrays.stream(type.getEnumConstants())
        .filter(value -> value.name().equals(bare))
        .findFirst()
        .orElseThrow(
            () -> new TypeConversionException("'" + text + "' is none of " + values(type)));
  }

  private static <E extends Enum<E>> String values(Class<E> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(Object::toString)
        .collect(Collectors.joining(", "));
  }
}
