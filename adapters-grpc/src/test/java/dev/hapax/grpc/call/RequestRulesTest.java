package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.hapax.domain.DurationText;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.FieldRules;
import dev.hapax.v1.RulesProto;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Makes good and bad values for every field of every request from the rules in the protos. */
class RequestRulesTest {
  private static final String EMOJI = "\ud83d\ude00";

  /** A value of a field, and where it is. */
  private record Case(String path, String what, Message message) {}

  static Stream<Message> requests() {
    return ApiMethods.all().map(ApiMethods::request).distinct();
  }

  private static FieldRules rules(FieldDescriptor field) {
    return field.getOptions().getExtension(RulesProto.rules);
  }

  /** A message that sets only what it must. */
  private static Message valid(Message prototype) {
    var message = prototype.newBuilderForType();
    for (var field : message.getDescriptorForType().getFields()) {
      if (rules(field).getRequired() && field.getContainingOneof() == null) {
        var value = some(message, field);
        var _ = message.setField(field, field.isRepeated() ? List.of(value) : value);
      }
    }
    for (var choice : message.getDescriptorForType().getRealOneofs()) {
      if (choice.getOptions().getExtension(RulesProto.choiceRequired)) {
        var first = choice.getFields().getFirst();
        var _ = message.setField(first, some(message, first));
      }
    }
    return message.build();
  }

  private static Object some(Message.Builder in, FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case STRING -> rules(field).getText().getJson() ? "{}" : "some";
      case ENUM -> field.getEnumType().getValues().get(1);
      case MESSAGE -> valid(in.newBuilderForField(field).build());
      case BYTE_STRING, INT, LONG, DOUBLE, FLOAT, BOOLEAN -> field.getDefaultValue();
    };
  }

  /** All messages of a type with one bad value each. */
  private static List<Case> bad(Message prototype) {
    var cases = new ArrayList<Case>();
    for (var field : prototype.getDescriptorForType().getFields()) {
      var rules = rules(field);
      if (rules.getRequired() && field.getContainingOneof() == null) {
        var without = valid(prototype).toBuilder().clearField(field).build();
        cases.add(new Case(field.getName(), "is missing", without));
      }
      if (rules.getMaxItems() > 0 && !field.isMapField()) {
        var value = some(prototype.toBuilder(), field);
        var items = Collections.nCopies(rules.getMaxItems() + 1, value);
        cases.add(of(prototype, field, "has too many", items));
      }
      if (field.isMapField()) {
        continue;
      }
      badValues(field).forEach((what, value) -> cases.add(item(prototype, field, what, value)));
      if (isOurs(field)) {
        var inside = prototype.newBuilderForType().newBuilderForField(field).build();
        for (var each : bad(inside)) {
          if (rules.getAllowEmpty() && each.message.getAllFields().isEmpty()) {
            continue;
          }
          var outside = item(prototype, field, each.what, each.message);
          cases.add(new Case(outside.path + "." + each.path, each.what, outside.message));
        }
      }
    }
    for (var choice : prototype.getDescriptorForType().getRealOneofs()) {
      if (choice.getOptions().getExtension(RulesProto.choiceRequired)) {
        var none = valid(prototype).toBuilder().clearOneof(choice).build();
        cases.add(new Case(choice.getName(), "has no value", none));
      }
    }
    return cases;
  }

  /** Whether a field holds a message whose fields are checked with those around it. */
  private static boolean isOurs(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE
        && field.getMessageType().getFullName().startsWith("hapax.v1.")
        && !field.getMessageType().getName().endsWith("Request");
  }

  private static Case item(Message prototype, FieldDescriptor field, String what, Object value) {
    var set = of(prototype, field, what, field.isRepeated() ? List.of(value) : value);
    return field.isRepeated() ? new Case(set.path + "[0]", what, set.message) : set;
  }

  private static Case of(Message prototype, FieldDescriptor field, String what, Object value) {
    return new Case(
        field.getName(), what, valid(prototype).toBuilder().setField(field, value).build());
  }

  private static Map<String, Object> badValues(FieldDescriptor field) {
    var rules = rules(field);
    return switch (field.getJavaType()) {
      case STRING -> badTexts(field, rules);
      case BYTE_STRING ->
          Map.of("is too large", ByteString.copyFrom(new byte[rules.getMaxBytes() + 1]));
      case ENUM -> badEnums(field, rules);
      case INT -> badNumbers(rules, value -> (Object) (int) value);
      case LONG -> badNumbers(rules, value -> (Object) (long) value);
      case DOUBLE, FLOAT -> badNumbers(rules, value -> (Object) value);
      case MESSAGE -> badMessages(field, rules);
      case BOOLEAN -> Map.of();
    };
  }

  private static Map<String, Object> badTexts(FieldDescriptor field, FieldRules rules) {
    var bad = new LinkedHashMap<String, Object>();
    if (rules.getTarget() == Target.TARGET_WORKSPACE) {
      List.of("A", "1a", "-a", "a_b", "a.b", "a\0", "\u00e4", "a".repeat(64), " a", "a\n")
          .forEach(name -> bad.put("= <" + name + ">", name));
      return bad;
    }
    var text = rules.getText();
    bad.put("has U+0000", text.getJson() ? "\"a\0b\"" : "a\0b");
    if (text.getJson()) {
      BadJson.TEXTS.forEach(json -> bad.put("= <" + json + ">", json));
      bad.put("is 65 deep", "[".repeat(65) + "]".repeat(65));
      bad.put("is 20,000 deep", "{\"a\":".repeat(20_000));
    } else if (!text.getMultiline()) {
      bad.put("has U+0001", "\u0001");
      bad.put("has a line feed", "a\n");
      bad.put("has U+007F", "a\u007f");
      bad.put("has U+0085", "\u0085b");
    }
    if (text.getMaxChars() > 0) {
      bad.put("has too many characters", "x".repeat(text.getMaxChars() + 1));
      bad.put("has 300,000 characters", "x".repeat(300_000));
      bad.put("has too many characters outside the BMP", EMOJI.repeat(text.getMaxChars() + 1));
    }
    if (text.getMaxBytes() > 0) {
      bad.put("has too many bytes", quoted(text.getJson(), "x", text.getMaxBytes() + 1));
      bad.put("has too many bytes in fewer characters", ofTwoBytes(text.getJson(), text));
    }
    if (field.isRepeated()) {
      bad.put("is empty", "");
    }
    return bad;
  }

  private static String ofTwoBytes(boolean isJson, dev.hapax.v1.TextRules text) {
    return quoted(isJson, "\u00e9", text.getMaxBytes() / 2 + 2);
  }

  private static String quoted(boolean isJson, String of, int length) {
    return isJson ? "\"" + of.repeat(length - 2) + "\"" : of.repeat(length);
  }

  private static Map<String, Object> badEnums(FieldDescriptor field, FieldRules rules) {
    var bad = new LinkedHashMap<String, Object>();
    for (var number : List.of(99, -1, Integer.MAX_VALUE, Integer.MIN_VALUE)) {
      bad.put("= " + number, field.getEnumType().findValueByNumberCreatingIfUnknown(number));
    }
    if (rules.getRequired() || field.isRepeated()) {
      bad.put("= 0", field.getEnumType().findValueByNumber(0));
    }
    return bad;
  }

  private interface OfNumber {
    Object of(double value);
  }

  private static Map<String, Object> badNumbers(FieldRules rules, OfNumber number) {
    var bad = new LinkedHashMap<String, Object>();
    if (!rules.hasNumber()) {
      return bad;
    }
    bad.put("is below all numbers", number.of(Math.min(0, rules.getNumber().getMin()) - 1));
    bad.put("= the smallest number", number.of(Integer.MIN_VALUE));
    if (rules.getNumber().hasMax()) {
      bad.put("is above the maximum", number.of(rules.getNumber().getMax() + 1));
    }
    if (number.of(0.5).equals(0.5)) {
      bad.put("= NaN", Double.NaN);
      bad.put("= infinity", Double.POSITIVE_INFINITY);
      bad.put("is below the minimum", rules.getNumber().getMin() / 2);
    }
    return bad;
  }

  private static Map<String, Object> badMessages(FieldDescriptor field, FieldRules rules) {
    var bad = new LinkedHashMap<String, Object>();
    if (field.getMessageType().equals(Timestamp.getDescriptor())) {
      for (var at :
          List.of(
              timestamp(Long.MIN_VALUE, 0),
              timestamp(Long.MAX_VALUE, 0),
              timestamp(253_402_300_800L, 0),
              timestamp(-62_135_596_801L, 0),
              timestamp(0, -1),
              timestamp(0, 1_000_000_000))) {
        bad.put(String.format(Locale.ROOT, "= %d s %d ns", at.getSeconds(), at.getNanos()), at);
      }
    }
    if (field.getMessageType().equals(Duration.getDescriptor())) {
      for (var length : badDurations(rules)) {
        bad.put(
            String.format(Locale.ROOT, "= %d s %d ns", length.getSeconds(), length.getNanos()),
            length);
      }
    }
    return bad;
  }

  private static List<Duration> badDurations(FieldRules rules) {
    var bad =
        new ArrayList<>(
            List.of(
                duration(-1, 0),
                duration(0, -1),
                duration(1, -1),
                duration(-1, 1),
                duration(1, 1_000_000_000),
                duration(1, Integer.MAX_VALUE),
                duration(1, Integer.MIN_VALUE),
                duration(Long.MAX_VALUE, 0),
                duration(Long.MIN_VALUE, 0),
                duration(315_576_000_001L, 0)));
    bad.add(duration(DurationText.parse(rules.getDuration().getMax()).plusNanos(1)));
    if (rules.getDuration().getPositive()) {
      bad.add(duration(0, 0));
    }
    if (!rules.getDuration().getMin().isEmpty()) {
      bad.add(duration(DurationText.parse(rules.getDuration().getMin()).minusNanos(1)));
    }
    return bad;
  }

  private static Duration duration(java.time.Duration of) {
    return duration(of.getSeconds(), of.getNano());
  }

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  private static Timestamp timestamp(long seconds, int nanos) {
    return Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  @TestFactory
  Stream<DynamicTest> refuses() {
    return requests()
        .flatMap(
            request ->
                bad(request).stream()
                    .map(
                        bad ->
                            dynamicTest(
                                "X4: %s: %s %s"
                                    .formatted(
                                        request.getDescriptorForType().getName(),
                                        bad.path,
                                        bad.what),
                                () -> assertRefused(bad))));
  }

  private static void assertRefused(Case bad) {
    assertThatThrownBy(() -> RequestRules.check(bad.message))
        .isInstanceOfSatisfying(
            InvalidFieldException.class,
            e -> {
              assertThat(e.violations()).extracting(Violation::field).containsExactly(bad.path);
              assertThat(e.getMessage()).startsWith(bad.path + " ");
            });
  }

  /** The largest and the smallest values there may be. */
  private static List<Object> limits(FieldDescriptor field) {
    var rules = rules(field);
    var text = rules.getText();
    if (text.getMaxChars() > 0 && text.getMaxBytes() == 0) {
      return List.of("x".repeat(text.getMaxChars()), EMOJI.repeat(text.getMaxChars()));
    }
    if (text.getMaxBytes() > 0) {
      var length = text.getMaxChars() > 0 ? text.getMaxChars() : text.getMaxBytes();
      return List.of(quoted(text.getJson(), "x", length));
    }
    if (rules.getMaxBytes() > 0) {
      return List.of(ByteString.copyFrom(new byte[rules.getMaxBytes()]));
    }
    if (rules.hasDuration()) {
      return List.of(
          duration(DurationText.parse(rules.getDuration().getMax())),
          rules.getDuration().getPositive()
              ? duration(0, 1)
              : duration(
                  rules.getDuration().getMin().isEmpty()
                      ? java.time.Duration.ZERO
                      : DurationText.parse(rules.getDuration().getMin())));
    }
    return List.of();
  }

  private static List<Case> good(Message prototype) {
    var cases = new ArrayList<Case>();
    for (var field : prototype.getDescriptorForType().getFields()) {
      if (field.isMapField()) {
        continue;
      }
      limits(field).forEach(value -> cases.add(item(prototype, field, "is at its limit", value)));
      if (rules(field).getMaxItems() > 0) {
        var value = some(prototype.toBuilder(), field);
        cases.add(
            of(
                prototype,
                field,
                "has as many as allowed",
                Collections.nCopies(rules(field).getMaxItems(), value)));
      }
      if (isOurs(field)) {
        var inside = prototype.newBuilderForType().newBuilderForField(field).build();
        good(inside).forEach(each -> cases.add(item(prototype, field, each.what, each.message)));
      }
    }
    return cases;
  }

  @TestFactory
  Stream<DynamicTest> accepts() {
    return requests()
        .flatMap(
            request ->
                Stream.concat(
                        Stream.of(new Case("request", "has what it must", valid(request))),
                        good(request).stream())
                    .map(
                        good ->
                            dynamicTest(
                                "%s: %s %s"
                                    .formatted(
                                        request.getDescriptorForType().getName(),
                                        good.path,
                                        good.what),
                                () ->
                                    assertThatCode(() -> RequestRules.check(good.message))
                                        .doesNotThrowAnyException())));
  }

  @Test
  @DisplayName("given labels that break their rules, then the error names the map [X4]")
  void maps() {
    var start = StartRunRequest.newBuilder().setDefinition("order");
    for (var bad :
        List.of(
            Map.of("", "value"),
            Map.of("key", "x".repeat(256)),
            Map.of("x".repeat(256), "value"),
            Map.of("k\n", "value"))) {
      assertRefused(new Case("labels", "", start.clone().putAllLabels(bad).build()));
    }
    var labels = new LinkedHashMap<String, String>();
    for (var i = 0; i < 33; i++) {
      labels.put("key-" + i, "value");
    }
    assertRefused(new Case("labels", "", start.clone().putAllLabels(labels).build()));
  }

  @Test
  @DisplayName("given several bad fields, then the error has all of them [X4]")
  void allAtOnce() {
    var request =
        StartRunRequest.newBuilder()
            .setWorkspace("A")
            .setIdempotencyKey("\n")
            .addHooks(StartRunRequest.Hook.getDefaultInstance())
            .build();
    assertThatThrownBy(() -> RequestRules.check(request))
        .isInstanceOfSatisfying(
            InvalidFieldException.class,
            e ->
                assertThat(e.violations())
                    .extracting(Violation::field)
                    .containsExactly(
                        "workspace", "definition", "idempotency_key", "hooks[0].token"));
  }

  @Test
  @DisplayName("every text of every request has a limit [X4]")
  void everyTextHasALimit() {
    var unlimited = new ArrayList<String>();
    requests().forEach(request -> unlimited(request, unlimited));
    assertThat(unlimited).isEmpty();
  }

  private static void unlimited(Message prototype, List<String> found) {
    for (var field : prototype.getDescriptorForType().getFields()) {
      var text = rules(field).getText();
      var hasLimit =
          text.getMaxChars() > 0
              || text.getMaxBytes() > 0
              || rules(field).getTarget() == Target.TARGET_WORKSPACE;
      if (field.getJavaType() == JavaType.STRING && !hasLimit) {
        found.add(field.getFullName());
      }
      if (field.getJavaType() == JavaType.BYTE_STRING && rules(field).getMaxBytes() == 0) {
        found.add(field.getFullName());
      }
      if (isOurs(field) && !field.isMapField()) {
        unlimited(prototype.newBuilderForType().newBuilderForField(field).build(), found);
      }
    }
  }
}
