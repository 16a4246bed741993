package dev.hapax.grpc.call;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.FieldRules;
import dev.hapax.v1.RulesProto;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The rules of one field.
 *
 * @param value those of its value, and of each element if it is a list
 */
record FieldRule(FieldDescriptor field, FieldRules rules, ValueRule value) {
  private static final List<Violation> REQUIRED = List.of(new Violation("", "is required"));

  /** The rules of a field; empty = it takes any value. */
  static Optional<FieldRule> of(FieldDescriptor field) {
    var rules = field.getOptions().getExtension(RulesProto.rules);
    var value =
        field.isMapField()
            ? ValueRule.of(field.getMessageType().findFieldByNumber(1), rules)
            : ValueRule.of(field, rules);
    return value.takesAnything() && !rules.getRequired() && rules.getMaxItems() == 0
        ? Optional.empty()
        : Optional.of(new FieldRule(field, rules, value));
  }

  List<Violation> violations(Message message) {
    if (field.isRepeated()) {
      return ofItems(message);
    }
    if (field.hasPresence() && !message.hasField(field)) {
      // one field of a oneof is never required: another one may be set
      return rules.getRequired() && field.getContainingOneof() == null
          ? named(field.getName(), REQUIRED)
          : List.of();
    }
    return named(field.getName(), value.violations(message.getField(field), rules.getRequired()));
  }

  private List<Violation> ofItems(Message message) {
    var count = message.getRepeatedFieldCount(field);
    if (count == 0) {
      return rules.getRequired() ? named(field.getName(), REQUIRED) : List.of();
    }
    if (rules.getMaxItems() > 0 && count > rules.getMaxItems()) {
      return named(field.getName(), ValueRule.tooMany(count, noun(), rules.getMaxItems()));
    }
    List<Violation> found = List.of();
    for (var i = 0; i < count; i++) {
      var item = message.getRepeatedField(field, i);
      if (rules.getAllowEmpty() && ((Message) item).getAllFields().isEmpty()) {
        continue;
      }
      var ofItem =
          item instanceof MapEntry<?, ?> entry
              ? ofEntry(entry)
              : named(
                  String.format(Locale.ROOT, "%s[%d]", field.getName(), i),
                  value.violations(item, true));
      found = RequestRules.joined(found, ofItem);
    }
    return found;
  }

  /** The last word of the name, in the plural. */
  private String noun() {
    return field.getName().substring(field.getName().lastIndexOf('_') + 1);
  }

  private List<Violation> ofEntry(MapEntry<?, ?> entry) {
    return RequestRules.joined(
            value.violations(entry.getKey(), true), value.violations(entry.getValue(), false))
        .stream()
        .limit(1)
        .map(bad -> new Violation(field.getName(), "has a key or a value that " + bad.rule()))
        .toList();
  }

  private static List<Violation> named(String name, List<Violation> of) {
    return of.isEmpty()
        ? of
        : of.stream()
            .map(v -> new Violation(v.field().isEmpty() ? name : name + "." + v.field(), v.rule()))
            .toList();
  }
}
