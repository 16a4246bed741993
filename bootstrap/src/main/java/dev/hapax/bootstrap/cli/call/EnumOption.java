package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.ProtocolMessageEnum;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.TypeConversionException;

/**
 * Enum values of the API as typed and printed: without the prefix of their names in the API, such
 * as {@code RUNNING} for {@code RUN_STATUS_RUNNING}.
 */
public final class EnumOption {
  private EnumOption() {}

  /** Returns the prefix of the names of an enum, such as {@code RUN_STATUS_}. */
  private static String prefix(String type) {
    return type.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT) + "_";
  }

  /** Returns the value as printed; a value of a newer server is UNRECOGNIZED. */
  public static <E extends Enum<E> & ProtocolMessageEnum> String text(E value) {
    return bare(value.getDeclaringClass().getSimpleName(), value.name());
  }

  private static String bare(String type, String name) {
    var prefix = prefix(type);
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }

  /** Returns the values that can be typed. */
  public static List<String> names(EnumDescriptor type) {
    return type.getValues().stream()
        .filter(value -> value.getNumber() != 0)
        .map(value -> bare(type.getName(), value.getName()))
        .toList();
  }

  /** Parses a value as typed ({@code running}) or as {@code --json} prints it. */
  public static EnumValueDescriptor parse(EnumDescriptor type, String text) {
    var name = bare(type.getName(), text.toUpperCase(Locale.ROOT).replace('-', '_'));
    return Optional.ofNullable(type.findValueByName(prefix(type.getName()) + name))
        .filter(value -> value.getNumber() != 0)
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'" + text + "' is not one of " + String.join(", ", names(type))));
  }
}
