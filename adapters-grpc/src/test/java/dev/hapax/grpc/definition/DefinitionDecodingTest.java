package dev.hapax.grpc.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import com.google.protobuf.Timestamp;
import dev.hapax.domain.definition.Definition;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.TimerStep;
import java.time.Instant;
import java.util.Collections;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DefinitionDecodingTest {
  private static final Duration NEGATIVE = Duration.newBuilder().setSeconds(-1).build();
  private static final StepDefinition TASK =
      step("charge").setTask(TaskStep.newBuilder().setQueue("work")).build();

  private static final CodeStep CODE = CodeStep.newBuilder().setQueue("work").build();

  private static StepDefinition.Builder step(String name) {
    return StepDefinition.newBuilder().setName(name);
  }

  private static RegisterDefinitionRequest.Builder definition(StepDefinition... steps) {
    var request = RegisterDefinitionRequest.newBuilder().setName("order").setVersion("1");
    for (var step : steps) {
      request.addSteps(step);
    }
    return request;
  }

  @Test
  @DisplayName("given several violations, then the error reports all of them with their paths")
  void violations() {
    var request =
        definition(
                TASK,
                step("code")
                    .setCode(
                        CodeStep.newBuilder()
                            .setLease(NEGATIVE)
                            .setRetry(
                                RetryPolicy.newBuilder()
                                    .setMaxAttempts(1_001)
                                    .setInitial(NEGATIVE)
                                    .setFactor(Double.NaN)
                                    .setMax(Duration.newBuilder().setSeconds(86_401))
                                    .addNonRetryable("FINE")
                                    .addNonRetryable("")))
                    .build(),
                step("").setTimer(TimerStep.getDefaultInstance()).build(),
                step("s")
                    .setSignal(
                        SignalStep.newBuilder().setType("x".repeat(256)).setTimeout(NEGATIVE))
                    .build(),
                step("nothing").build())
            .setWorkspace("A")
            .setName("")
            .setVersion("")
            .build();

    assertThatThrownBy(() -> DefinitionDecoding.checked(request))
        .asInstanceOf(InstanceOfAssertFactories.type(InvalidFieldException.class))
        .extracting(
            InvalidFieldException::violations, InstanceOfAssertFactories.list(Violation.class))
        .extracting(Violation::field)
        .containsExactly(
            "workspace",
            "name",
            "version",
            "steps[1].code.queue",
            "steps[1].code.lease",
            "steps[1].code.retry.max_attempts",
            "steps[1].code.retry.initial",
            "steps[1].code.retry.factor",
            "steps[1].code.retry.max",
            "steps[1].code.retry.non_retryable[1]",
            "steps[2].name",
            "steps[2].timer.time",
            "steps[3].signal.type",
            "steps[3].signal.timeout",
            "steps[4].kind");
  }

  @Test
  @DisplayName("given what one field alone does not show, then the definition is rejected")
  void meaning() {
    assertRejected(definition(TASK).setName("hapax.mine"), "name");
    assertRejected(
        definition(TASK, TASK, step("a").setCode(CODE).build(), TASK),
        "steps[1].name",
        "steps[3].name");
    assertRejected(
        definition(step("unfiltered").setSignal(SignalStep.getDefaultInstance()).build()),
        "steps[0].signal");
  }

  private static void assertRejected(RegisterDefinitionRequest.Builder request, String... fields) {
    assertThatThrownBy(() -> DefinitionDecoding.checked(request.build()))
        .asInstanceOf(InstanceOfAssertFactories.type(InvalidFieldException.class))
        .extracting(
            InvalidFieldException::violations, InstanceOfAssertFactories.list(Violation.class))
        .extracting(Violation::field)
        .containsExactly(fields);
  }

  @Test
  @DisplayName("given no steps or 1,001 steps, then the definition is rejected")
  void count() {
    var tooMany =
        definition().addAllSteps(Collections.nCopies(Definition.MAX_STEPS + 1, TASK)).build();
    assertThatThrownBy(() -> DefinitionDecoding.checked(definition().build()))
        .hasMessage("steps is required");
    assertThatThrownBy(() -> DefinitionDecoding.checked(tooMany))
        .hasMessage("steps has 1001 steps; at most 1000 are allowed");
  }

  @Test
  @DisplayName("given unset fields, when the definition is read again, then they are still unset")
  void roundTrip() {
    var request =
        definition(
                TASK,
                step("code")
                    .setCode(
                        CodeStep.newBuilder()
                            .setQueue("code")
                            .setLease(Duration.newBuilder().setSeconds(5))
                            .setRetry(
                                RetryPolicy.newBuilder()
                                    .setFactor(1.5)
                                    .addNonRetryable("A")
                                    .addNonRetryable("B")))
                    .build(),
                step("pause")
                    .setTimer(TimerStep.newBuilder().setDuration(Duration.newBuilder().setNanos(1)))
                    .build(),
                step("until")
                    .setTimer(TimerStep.newBuilder().setUntil(Timestamp.newBuilder().setSeconds(9)))
                    .build(),
                step("any")
                    .setSignal(SignalStep.newBuilder().setAny(Empty.getDefaultInstance()))
                    .build(),
                step("paid").setSignal(SignalStep.newBuilder().setHookName("payment")).build(),
                step("approval")
                    .setSignal(
                        SignalStep.newBuilder()
                            .setType("approval")
                            .setTimeout(Duration.newBuilder().setSeconds(7)))
                    .build())
            .build();
    var command = DefinitionDecoding.checked(request);

    var read =
        DefinitionEncoding.definition(new Definition(command.id(), command.steps(), Instant.EPOCH));

    assertThat(read.getStepsList()).isEqualTo(request.getStepsList());
    assertThat(read.getWorkspace()).isEqualTo("default");
  }
}
