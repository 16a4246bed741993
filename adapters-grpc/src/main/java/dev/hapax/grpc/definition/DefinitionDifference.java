package dev.hapax.grpc.definition;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import com.google.protobuf.Timestamp;
import dev.hapax.domain.DurationText;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.grpc.call.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Where a registration differs from what is registered, as text. */
final class DefinitionDifference {
  /** A person corrects one, and then sees the next. */
  private static final int SHOWN = 3;

  private final List<String> found = new ArrayList<>();

  private DefinitionDifference() {}

  /** Returns the first differences: {@code steps[0].code.queue is "a" (this: "b")}. */
  static String text(Definition registered, RegisterDefinition requested) {
    var difference = new DefinitionDifference();
    if (!registered.timeout().equals(requested.timeout())) {
      difference.add("timeout is", text(registered.timeout()), text(requested.timeout()));
    }
    if (!registered.limits().equals(requested.limits())) {
      difference.add("limits are", text(registered.limits()), text(requested.limits()));
    }
    difference.compare(registered.steps(), requested.steps());
    return difference.text();
  }

  private static String text(Optional<java.time.Duration> time) {
    return time.map(DurationText::format).orElse("unset");
  }

  private static String text(List<Limit> limits) {
    return limits.stream().map(Limit::name).collect(Collectors.joining(", ", "[", "]"));
  }

  private void compare(List<StepDefinition> registered, List<StepDefinition> requested) {
    for (var i = 0; i < Math.min(registered.size(), requested.size()); i++) {
      compare(
          String.format(Locale.ROOT, "steps[%d]", i),
          DefinitionEncoding.step(registered.get(i)),
          DefinitionEncoding.step(requested.get(i)));
    }
    if (registered.size() != requested.size()) {
      add("steps has", String.valueOf(registered.size()), String.valueOf(requested.size()));
    }
  }

  private String text() {
    var shown = found.stream().limit(SHOWN).toList();
    var more = found.size() - shown.size();
    return String.join("; ", shown)
        + (more > 0 ? String.format(Locale.ROOT, "; and %d more", more) : "");
  }

  private void add(String what, String registered, String requested) {
    found.add(what + " " + registered + " (this: " + requested + ")");
  }

  private void compare(String at, Message registered, Message requested) {
    for (var field : registered.getDescriptorForType().getFields()) {
      var path = at + "." + field.getName();
      if (isIn(registered, field)
          && isIn(requested, field)
          && registered.getField(field) instanceof Message inner
          && !isScalar(inner)) {
        compare(path, inner, (Message) requested.getField(field));
      } else if (isIn(registered, field) != isIn(requested, field)
          || !registered.getField(field).equals(requested.getField(field))) {
        add(path + " is", value(registered, field), value(requested, field));
      }
    }
  }

  private static boolean isIn(Message message, FieldDescriptor field) {
    return message.getAllFields().containsKey(field);
  }

  private static boolean isScalar(Message message) {
    return message instanceof Duration || message instanceof Timestamp;
  }

  private static String value(Message message, FieldDescriptor field) {
    if (!isIn(message, field)) {
      return "unset";
    }
    return switch (message.getField(field)) {
      case Duration duration -> DurationText.format(Durations.decode(duration));
      case Timestamp time -> Durations.decode(time).toString();
      case Message inner ->
          "{" + TextFormat.printer().emittingSingleLine(true).printToString(inner) + "}";
      case String text -> '"' + text + '"';
      default -> String.valueOf(message.getField(field));
    };
  }
}
