package dev.hapax.grpc.call;

import com.google.protobuf.ProtocolMessageEnum;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Validates fields; an invalid value is an {@link InvalidFieldException} with the field's name. */
public final class FieldReader {
  /** The most values of one filter. */
  public static final int MAX_FILTERED = 100;

  private FieldReader() {}

  /** Converts a field; a domain rule that it violates names the field. */
  public static <P, T> T read(String field, P sent, Function<? super P, ? extends T> value) {
    try {
      return value.apply(sent);
    } catch (InvalidValueException e) {
      throw new InvalidFieldException(field, e.rule());
    }
  }

  public static Workspace workspace(String sent) {
    return sent.isEmpty() || sent.equals(Workspace.DEFAULT.name())
        ? Workspace.DEFAULT
        : read("workspace", sent, Workspace::new);
  }

  public static String name(String field, String sent) {
    return read(field, sent, Text::name);
  }

  public static String requiredName(String field, String sent) {
    return read(field, sent, Text::requiredName);
  }

  public static String requiredShortName(String field, String sent) {
    return read(field, sent, Text::requiredShortName);
  }

  public static Optional<String> optionalName(String field, String sent) {
    return sent.isEmpty() ? Optional.empty() : Optional.of(name(field, sent));
  }

  /** The expected version of a run or an entity; 0 = any. */
  public static OptionalLong expectedVersion(long sent) {
    return version("expected_version", sent) == 0 ? OptionalLong.empty() : OptionalLong.of(sent);
  }

  /** The version of a run or an entity; 0 = none. */
  public static long version(String field, long sent) {
    if (sent < 0) {
      throw new InvalidFieldException(
          field, String.format(Locale.ROOT, "must not be negative (was %d)", sent));
    }
    return sent;
  }

  /** How many items a poll takes; 0 = 1. */
  public static int pollSize(String field, int sent, int max) {
    if (sent < 0 || sent > max) {
      throw new InvalidFieldException(
          field,
          String.format(Locale.ROOT, "must be between 1 and %d, or 0 for 1 (was %d)", max, sent));
    }
    return sent == 0 ? 1 : sent;
  }

  /**
   * Reads the values of a filter.
   *
   * @param read reads one value, whose field has its index, such as {@code statuses[1]}
   */
  public static <P, T> Set<T> filter(String field, List<P> sent, BiFunction<String, P, T> read) {
    if (sent.size() > MAX_FILTERED) {
      throw new InvalidFieldException(
          field,
          String.format(
              Locale.ROOT, "has %d values; at most %d are allowed", sent.size(), MAX_FILTERED));
    }
    var values = new LinkedHashSet<T>();
    for (var i = 0; i < sent.size(); i++) {
      values.add(read.apply(String.format(Locale.ROOT, "%s[%d]", field, i), sent.get(i)));
    }
    return values;
  }

  /** A known value of an enum other than the unspecified one. */
  public static <E extends Enum<E> & ProtocolMessageEnum> E specified(
      String field, int number, IntFunction<E> of) {
    var value = known(field, number, of);
    if (number == 0) {
      throw new InvalidFieldException(field, "must not be " + value.name());
    }
    return value;
  }

  /**
   * A known value of an enum.
   *
   * @param number as it was sent
   * @param of finds the value of a number
   */
  public static <E extends Enum<E> & ProtocolMessageEnum> E known(
      String field, int number, IntFunction<E> of) {
    var value = of.apply(number);
    if (value == null) {
      throw new InvalidFieldException(field, "has the unknown value " + number);
    }
    return value;
  }
}
