package dev.hapax.grpc.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.hapax.domain.DurationText;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.DurationRules;
import dev.hapax.v1.FieldRules;
import dev.hapax.v1.NumberRules;
import dev.hapax.v1.Target;
import dev.hapax.v1.TextRules;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** The rules of a single value. The path of a violation is empty, or leads inside of a message. */
sealed interface ValueRule {

  /** Returns how a value breaks the rules. */
  List<Violation> violations(Object value, boolean isRequired);

  default boolean takesAnything() {
    return false;
  }

  static ValueRule of(FieldDescriptor field, FieldRules rules) {
    return switch (field.getJavaType()) {
      case STRING ->
          rules.getTarget() == Target.TARGET_WORKSPACE
              ? new WorkspaceName()
              : new Characters(rules.getText());
      case BYTE_STRING -> new Bytes(rules.getMaxBytes());
      case INT, LONG, DOUBLE, FLOAT ->
          rules.hasNumber() ? new Range(rules.getNumber()) : new Anything();
      case ENUM -> new Choice();
      case BOOLEAN -> new Anything();
      case MESSAGE -> ofMessage(field, rules);
    };
  }

  private static ValueRule ofMessage(FieldDescriptor field, FieldRules rules) {
    var type = field.getMessageType();
    if (type.equals(Duration.getDescriptor())) {
      return Length.of(rules.getDuration());
    }
    if (type.equals(Timestamp.getDescriptor())) {
      return new Time();
    }
    return type.getName().endsWith("Request") || RequestRules.of(type).isEmpty()
        ? new Anything()
        : new Inside(RequestRules.of(type));
  }

  private static List<Violation> broken(String rule) {
    return List.of(new Violation("", rule));
  }

  static List<Violation> tooMany(int count, String what, int max) {
    return broken(
        String.format(Locale.ROOT, "has %d %s; at most %d are allowed", count, what, max));
  }

  /** No rule. */
  record Anything() implements ValueRule {
    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      return List.of();
    }

    @Override
    public boolean takesAnything() {
      return true;
    }
  }

  /** The rules of the fields of a message. */
  record Inside(RequestRules rules) implements ValueRule {
    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      return rules.violations((Message) value);
    }
  }

  /** The rules of a workspace's name. */
  record WorkspaceName() implements ValueRule {
    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      var name = (String) value;
      return name.isEmpty() || Workspace.isValid(name) ? List.of() : broken(Workspace.RULE);
    }
  }

  /** The rules of a text. */
  record Characters(TextRules rules) implements ValueRule {
    private static final int MOST_BYTES_PER_CHAR = 3;

    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      var text = (String) value;
      if (text.isEmpty() && !rules.getJson()) {
        return isRequired ? broken("is required") : List.of();
      }
      try {
        if (rules.getMaxBytes() > 0
            && text.length() * MOST_BYTES_PER_CHAR > rules.getMaxBytes()
            && bytes(text) > rules.getMaxBytes()) {
          return tooMany(bytes(text), "bytes", rules.getMaxBytes());
        }
        if (rules.getJson()) {
          var _ = JsonText.check(text);
        } else if (rules.getMultiline()) {
          var _ = Text.multiline(text);
        } else {
          var _ = Text.printable(text, rules.getMaxChars());
        }
        return List.of();
      } catch (InvalidValueException e) {
        return broken(e.rule());
      }
    }

    private static int bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8).length;
    }
  }

  /** The most bytes; 0 = no limit. */
  record Bytes(int max) implements ValueRule {
    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      var size = ((ByteString) value).size();
      return max == 0 || size <= max ? List.of() : tooMany(size, "bytes", max);
    }

    @Override
    public boolean takesAnything() {
      return max == 0;
    }
  }

  /** A range of numbers. */
  record Range(NumberRules rules) implements ValueRule {
    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      var number = ((Number) value).doubleValue();
      // NaN is in no range
      var isInside = number >= rules.getMin() && (!rules.hasMax() || number <= rules.getMax());
      return isInside || (number == 0 && rules.getOrZero())
          ? List.of()
          : broken("%s (was %s)".formatted(rule(), value));
    }

    private String rule() {
      return rules.hasMax()
          ? String.format(
              Locale.ROOT, "must be between %.0f and %.0f", rules.getMin(), rules.getMax())
          : "must not be negative";
    }
  }

  /** A known value of an enum. */
  record Choice() implements ValueRule {
    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      var choice = (EnumValueDescriptor) value;
      if (choice.getType().findValueByNumber(choice.getNumber()) == null) {
        return broken("has the unknown value " + choice.getNumber());
      }
      return isRequired && choice.getNumber() == 0
          ? broken("must not be " + choice.getName())
          : List.of();
    }
  }

  /** A time between the years 1 and 9999. */
  record Time() implements ValueRule {
    private static final long YEAR_1 = -62_135_596_800L;
    private static final long YEAR_10000 = 253_402_300_800L;

    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      var time = (Timestamp) value;
      return time.getNanos() < 0
              || time.getNanos() >= Length.NANOS
              || time.getSeconds() < YEAR_1
              || time.getSeconds() >= YEAR_10000
          ? broken("is not a valid timestamp")
          : List.of();
    }
  }

  /**
   * A range of lengths of time.
   *
   * @param max no limit if it is longer than any Duration
   */
  record Length(DurationRules rules, java.time.Duration min, java.time.Duration max)
      implements ValueRule {
    private static final int NANOS = 1_000_000_000;
    private static final int NANO_DIGITS = 9;

    /** The limit of google.protobuf.Duration: about 10,000 years. */
    private static final long MAX_SECONDS = 315_576_000_000L;

    static Length of(DurationRules rules) {
      return new Length(
          rules,
          rules.getMin().isEmpty() ? java.time.Duration.ZERO : DurationText.parse(rules.getMin()),
          rules.getMax().isEmpty()
              ? java.time.Duration.ofSeconds(MAX_SECONDS)
              : DurationText.parse(rules.getMax()));
    }

    @Override
    public List<Violation> violations(Object value, boolean isRequired) {
      var sent = (Duration) value;
      if (!isValid(sent.getSeconds(), sent.getNanos())) {
        return broken("is not a valid duration");
      }
      var length = java.time.Duration.ofSeconds(sent.getSeconds(), sent.getNanos());
      return length.compareTo(min) < 0
              || length.compareTo(max) > 0
              || (rules.getPositive() && length.isZero())
          ? broken("%s (was %s s)".formatted(rule(), seconds(sent)))
          : List.of();
    }

    private static boolean isValid(long seconds, int nanos) {
      return seconds >= -MAX_SECONDS
          && seconds <= MAX_SECONDS
          && Math.abs((long) nanos) < NANOS
          && (seconds <= 0 || nanos >= 0)
          && (seconds >= 0 || nanos <= 0);
    }

    private String rule() {
      return rules.getPositive()
          ? "must be more than 0 and at most " + rules.getMax()
          : "must be between %s and %s"
              .formatted(rules.getMin().isEmpty() ? "0" : rules.getMin(), rules.getMax());
    }

    private static String seconds(Duration sent) {
      return BigDecimal.valueOf(sent.getSeconds())
          .add(BigDecimal.valueOf(sent.getNanos(), NANO_DIGITS))
          .stripTrailingZeros()
          .toPlainString();
    }
  }
}
