package dev.hapax.grpc.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.TaskStep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class DefinitionJsonTest {
  private final List<Violation> violations = new ArrayList<>();

  private RegisterDefinitionRequest read(String text) {
    return DefinitionJson.read(text, violations);
  }

  private List<String> problems(String text) {
    violations.clear();
    var _ = read(text);
    return violations.stream().map(violation -> violation.toString().strip()).toList();
  }

  @Test
  void readsWhatProtobufReads() throws Exception {
    var text =
        """
        {"workspace": "shop", "name": "order", "version": "3", "steps": [
          {"name": "a", "task": {"queue": "q", "lease": "30s", "retry": {"maxAttempts": 5,
              "initial": "0.250s", "factor": 1.5, "max": "60s", "non_retryable": ["A", "B"]},
              "at_most_once": true}},
          {"name": "b", "timer": {"until": "2030-01-31T10:00:00Z"}},
          {"name": "c", "signal": {"type": "approved", "timeout": "3600s"}},
          {"name": "d", "code": {"queue": "q", "lease": null, "retry": {"max_attempts": "5"}}}]}
        """;
    var expected = RegisterDefinitionRequest.newBuilder();
    JsonFormat.parser().merge(text, expected);

    assertThat(read(text)).isEqualTo(expected.build());
    assertThat(violations).isEmpty();
  }

  /** A value that is wrong for each type: whatever comes, a person gets the rule. */
  @Test
  void knowsTheTypeOfEachField() {
    var types = new ArrayDeque<>(List.of(RegisterDefinitionRequest.getDescriptor()));
    var seen = new HashSet<Descriptor>();
    while (!types.isEmpty()) {
      var type = types.pop();
      if (!seen.add(type)) {
        continue;
      }
      for (var field : type.getFields()) {
        if (field.getJavaType() == JavaType.MESSAGE && !DefinitionValues.isWritten(field)) {
          types.push(field.getMessageType());
        } else {
          assertThat(catchThrowable(() -> DefinitionValues.read(field, "?", false)))
              .as(field.getFullName())
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageStartingWith("must be ");
        }
      }
    }
    assertThat(seen).contains(TaskStep.getDescriptor(), RetryPolicy.getDescriptor());
  }

  @Test
  void readsItsOwnPrint() throws Exception {
    var request = read("{\"steps\": [{\"name\": \"a\", \"timer\": {\"duration\": \"90m\"}}]}");

    assertThat(read(JsonFormat.printer().print(request))).isEqualTo(request);
    assertThat(request.getSteps(0).getTimer().getDuration()).isEqualTo(Durations.fromMinutes(90));
  }

  @Test
  void readsATextInsteadOfAnObject() {
    assertThat(
            read(
                """
                {"steps": [{"name": "a", "timer": "14d"}, {"name": "b", "signal": "approved"}]}
                """))
        .isEqualTo(
            read(
                """
                {"steps": [{"name": "a", "timer": {"duration": "14d"}},
                           {"name": "b", "signal": {"type": "approved"}}]}
                """));
    assertThat(violations).isEmpty();
    assertThat(
            problems(
                "{\"steps\": [{\"timer\": \"soon\"}, {\"code\": \"orders\"}, {\"timer\": 3}]}"))
        .containsExactly(
            "steps[0].timer must be a duration such as 250ms, 30s, 90m, 1h30m or 1d",
            "steps[1].code must be an object",
            "steps[2].timer must be an object");
  }

  @Test
  void hasNoTextWithinTheText() {
    assertThat(problems("{\"json\": \"{}\"}"))
        .containsExactly(
            "json is not a field; fields are workspace, name, version, steps, actor, reason, timeout, limits");
  }

  @Test
  void readsDurationsAsPeopleWriteThem() {
    for (var text : List.of("1500ms", "1.5s", "1s500ms")) {
      var request = read("{\"steps\": [{\"timer\": {\"duration\": \"%s\"}}]}".formatted(text));
      assertThat(request.getSteps(0).getTimer().getDuration())
          .isEqualTo(Durations.fromMillis(1500));
    }
    assertThat(problems("{\"steps\": [{\"timer\": {\"duration\": \"soon\"}}]}"))
        .containsExactly(
            "steps[0].timer.duration must be a duration such as 250ms, 30s, 90m, 1h30m or 1d");
  }

  @Test
  void refusesATimeWithoutSeconds() {
    for (var text : List.of("2030-01-31T10:00Z", "2030-02-30T10:00:00Z", "2030-01-31T24:00:00Z")) {
      assertThat(problems("{\"steps\": [{\"timer\": {\"until\": \"%s\"}}]}".formatted(text)))
          .containsExactly("steps[0].timer.until must be a time such as 2030-01-31T10:00:00Z");
    }
  }

  @Test
  void goesOnBehindWhatIsWrong() {
    assertThat(
            problems(
                """
                {"nam": {"a": [1]}, "version": 3, "steps": [
                  7,
                  {"name": ["a"], "task": [], "code": {}, "timer": {}},
                  {"task": {"queue": "q", "queue": "r", "at_most_once": "yes", "retry": {"max_attempts": 1.5,
                      "factor": "much", "non_retryable": "A"}}},
                  {"timer": {"until": "tomorrow"}}]}
                """))
        .containsExactly(
            "nam is not a field; fields are workspace, name, version, steps, actor, reason, timeout, limits",
            "version must be a string",
            "steps[0] must be an object",
            "steps[1].name must be a single value",
            "steps[1].task must be an object",
            "steps[1].code cannot be set together with task",
            "steps[1].timer cannot be set together with task",
            "steps[2].task.queue is given twice",
            "steps[2].task.at_most_once must be true or false",
            "steps[2].task.retry.max_attempts must be an integer",
            "steps[2].task.retry.factor must be a number",
            "steps[2].task.retry.non_retryable must be a list",
            "steps[3].timer.until must be a time such as 2030-01-31T10:00:00Z");
  }

  @Test
  void saysWhereItIsNoJson() {
    assertThat(problems("{\"nam\": 1,\n \"name\" \"order\"}"))
        .containsExactly("is not JSON at line 2, column 9");
    assertThat(problems("{\"name\": \"order\"")).hasSize(1).first().asString().contains("line 1");
    assertThat(problems("")).containsExactly("is empty");
    assertThat(problems("{} {}")).containsExactly("must contain a single JSON value");
    assertThat(problems("[]")).containsExactly("must be an object");
    assertThat(problems("[".repeat(100_000)))
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("cannot be read: ")
        .contains("depth");
  }
}
