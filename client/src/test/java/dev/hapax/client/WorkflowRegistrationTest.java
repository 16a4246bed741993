package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a worker does with the definitions of its workflows before it polls. */
@Timeout(60)
class WorkflowRegistrationTest {

  private static final Workflow<String, String> ORDER =
      Workflow.of(
          "order",
          "orders",
          Codec.jsonText(),
          Codec.jsonText(),
          (task, order) -> "[" + order + "]");

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Hapax client = Hapax.builder().channel(hapax.channel).connect();

  @AfterEach
  void close() {
    client.close();
    hapax.close();
  }

  private Worker start(Workflow<?, ?> workflow) {
    return client.worker().add(workflow).start();
  }

  /** This key may not register definitions. */
  private void denyRegistration() {
    hapax.faults.before(
        "register",
        () -> {
          throw Status.PERMISSION_DENIED.asRuntimeException();
        });
  }

  private void registered(Workflow<?, ?> workflow) {
    start(workflow).close();
  }

  @Test
  @DisplayName("given a workflow, then its definition is registered, and its runs are done")
  void registers() {
    try (Worker worker =
        start(
            ORDER
                .version("2")
                .lease(Duration.ofSeconds(10))
                .retry(Retry.attempts(5))
                .partRetry(Retry.unlimited())
                .limits(Limit.of("openai").input("/tenant").maxRunning(5))
                .runLimits(Limit.of("orders").maxRunning(9)))) {
      assertThat(worker).isNotNull();
      var definition = hapax.definitions.registered("order", "2");
      assertThat(definition.getLimits(0).getName()).isEqualTo("orders");
      var step = definition.getSteps(0);
      assertThat(step.getName()).isEqualTo("main");
      assertThat(step.getCode().getQueue()).isEqualTo("orders");
      assertThat(step.getCode().getLease().getSeconds()).isEqualTo(10);
      assertThat(step.getCode().getRetry().getMaxAttempts()).isEqualTo(5);
      assertThat(step.getCode().getPartRetry().getMaxAttempts()).isEqualTo(-1);
      assertThat(step.getCode().getLimits(0).getInput()).isEqualTo("/tenant");
      hapax.work.start("order", "orders/main");
      Conditions.until(() -> !hapax.work.run("run_1").outputs.isEmpty());
    }
    assertThat(hapax.work.run("run_1").outputs).containsExactly("[{}]");
  }

  @Test
  @DisplayName("given another definition with this version, then the worker does not start")
  void exists() {
    registered(ORDER);

    assertThatThrownBy(() -> start(ORDER.lease(Duration.ofSeconds(10))))
        .isInstanceOf(HapaxException.Refused.class);
    assertThat(hapax.faults.calls("poll")).isLessThanOrEqualTo(2);
  }

  @Test
  @DisplayName("given a key that may not register, then the registered definition is compared")
  void compared() {
    registered(ORDER.partRetry(Retry.attempts(3)));
    denyRegistration();
    start(ORDER.partRetry(Retry.attempts(3))).close();
    denyRegistration();

    assertThatIllegalStateException()
        .isThrownBy(() -> start(ORDER.lease(Duration.ofSeconds(10)).partRetry(Retry.attempts(4))))
        .withMessage(
            "version \"1\" of \"order\" is registered with other steps: steps[0].code.lease is"
                + " unset (this: PT10S); steps[0].code.part_retry.max_attempts is 3 (this: 4);"
                + " give the changed workflow another version");
  }

  @Test
  @DisplayName("given a key that may not register, and other limits, then they are named")
  void comparedLimits() {
    Limit limit = Limit.of("openai").input("/tenant");
    registered(ORDER.limits(limit.maxRunning(4)));
    denyRegistration();

    assertThatIllegalStateException()
        .isThrownBy(() -> start(ORDER.limits(limit.maxRunning(5))))
        .withMessageContaining(
            "steps[0].code.limits is [name: \"openai\" input: \"/tenant\" max_running: 4 ]"
                + " (this: [name: \"openai\" input: \"/tenant\" max_running: 5 ])");
  }

  @Test
  @DisplayName("given a key that may not register, and other limits of runs, then they are named")
  void comparedRunLimits() {
    registered(ORDER.runLimits(Limit.of("orders").maxRunning(4)));
    denyRegistration();

    assertThatIllegalStateException()
        .isThrownBy(() -> start(ORDER))
        .withMessageContaining("limits is [name: \"orders\" max_running: 4 ] (this: [])");
  }

  @Test
  @DisplayName("given a key that may not register, and no such version, then the worker says so")
  void missing() {
    denyRegistration();

    assertThatThrownBy(() -> start(ORDER)).isInstanceOf(HapaxException.Refused.class);
    assertThat(hapax.faults.calls("poll")).isZero();
  }

  @Test
  @DisplayName("given a key that may not read definitions either, then nothing is checked")
  void unchecked() {
    denyRegistration();
    hapax.faults.before(
        "definition",
        () -> {
          throw Status.PERMISSION_DENIED.asRuntimeException();
        });

    try (var log = LogRecorder.of(Workflow.class)) {
      start(ORDER).close();
      assertThat(log.lines()).singleElement().asString().contains("is not checked");
    }
  }

  @Test
  @DisplayName("given an input that the codec cannot read, then the run fails")
  void unreadable() {
    Workflow<byte[], String> bytes =
        Workflow.of("order", "orders", Codec.bytes(), Codec.jsonText(), (task, input) -> "1");
    try (Worker worker = start(bytes)) {
      assertThat(worker).isNotNull();
      hapax.work.start("order", "orders/main");
      Conditions.until(() -> hapax.work.run("run_1").failure != null);
    }
    assertThat(Objects.requireNonNull(hapax.work.run("run_1").failure).getCode())
        .isEqualTo("INPUT_UNREADABLE");
  }

  @Test
  @DisplayName("given an output that cannot be stored, then the run fails, and names the step")
  void refused() {
    Workflow<String, String> large =
        Workflow.of(
            "order",
            "orders",
            Codec.jsonText(),
            Codec.jsonText(),
            (task, input) -> "\"" + "x".repeat(256 * 1024) + "\"");
    try (Worker worker = start(large)) {
      assertThat(worker).isNotNull();
      hapax.work.start("order", "orders/main");
      Conditions.until(() -> hapax.work.run("run_1").failure != null);
    }
    assertThat(Objects.requireNonNull(hapax.work.run("run_1").failure).getCode())
        .isEqualTo("RESULT_REFUSED");
    assertThat(Objects.requireNonNull(hapax.work.run("run_1").failure).getMessage())
        .isEqualTo(
            "step main was done, but its result cannot be stored: it has 262146 bytes and may have"
                + " 262144");
  }

  @Test
  @DisplayName("given two versions of a workflow, then one worker cannot have both")
  void twice() {
    assertThatThrownBy(() -> client.worker().add(ORDER).add(ORDER.version("2")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
