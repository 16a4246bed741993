package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StartRunsRequest;
import io.grpc.Status.Code;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RunStartIT {
  private static final int CALLS = 50;
  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  @RepeatedTest(value = 5, name = "50 concurrent starts make one run ({currentRepetition}) [R1]")
  void once() {
    caller.define("order", RunCaller.task("charge"));
    var callers = Stream.generate(() -> caller.via(deployment.target())).limit(5).toList();
    var request = caller.start("order").setIdempotencyKey("key").build();

    var answers =
        ConcurrentCalls.call(
            CALLS, i -> callers.get(i % callers.size()).futures().startRun(request));

    assertThat(answers).extracting(StartRunResponse::getCreated).containsOnlyOnce(true);
    assertThat(answers)
        .extracting(answer -> answer.getRun().getId())
        .containsOnly(answers.getFirst().getRun().getId());
    assertThat(answers)
        .filteredOn(answer -> !answer.getCreated())
        .hasSize(CALLS - 1)
        .extracting(StartRunResponse::getDisposition)
        .containsOnly(Disposition.DISPOSITION_EXISTING);
    assertThat(caller.list()).hasSize(1);
    callers.forEach(RunCaller::close);
  }

  @Test
  @DisplayName("the same key in two workspaces is two runs [R2]")
  void keyScope() {
    try (var other = RunCaller.to(deployment.target())) {
      caller.define("order", RunCaller.task("charge"));
      other.define("order", RunCaller.task("charge"));
      var one = caller.send(caller.start("order").setIdempotencyKey("key"));
      var two = other.send(other.start("order").setIdempotencyKey("key"));
      assertThat(one.getCreated()).isTrue();
      assertThat(two.getCreated()).isTrue();
      assertThat(one.getRun().getId()).isNotEqualTo(two.getRun().getId());
      assertThat(Refusal.of(() -> other.get(one.getRun().getId())).reason())
          .isEqualTo(ErrorReason.ERROR_REASON_RUN_NOT_FOUND);
    }
  }

  @Test
  @DisplayName("a key has at most 255 characters, an empty one is none [R3]")
  void keyLength() {
    caller.define("order", RunCaller.task("charge"));
    assertThat(caller.send(caller.start("order").setIdempotencyKey("k".repeat(255))).getCreated())
        .isTrue();
    var refusal =
        Refusal.of(() -> caller.send(caller.start("order").setIdempotencyKey("k".repeat(256))));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.fields()).containsExactly("idempotency_key");
    assertThat(caller.send(caller.start("order")).getCreated()).isTrue();
    assertThat(caller.send(caller.start("order")).getCreated()).isTrue();
    assertThat(caller.list()).hasSize(3);
  }

  @Test
  @DisplayName("the same key for another request is refused, naming the run [R4]")
  void fingerprint() {
    caller.define("order", RunCaller.task("charge"));
    caller.define("other", RunCaller.task("charge"));
    var first = caller.send(caller.start("order").setIdempotencyKey("key")).getRun();

    for (var different :
        List.of(
            caller.start("other").setIdempotencyKey("key"),
            caller.start("order").setIdempotencyKey("key").setInput(Caller.json("{\"a\":1}")),
            caller.start("order").setDefinitionVersion("1").setIdempotencyKey("key"),
            caller.start("order").putLabels("k", "v").setIdempotencyKey("key"))) {
      var refusal = Refusal.of(() -> caller.send(different));
      assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED);
      assertThat(refusal.metadata()).containsEntry("run_id", first.getId());
      var existing =
          caller.send(different.setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RETURN_EXISTING));
      assertThat(existing.getRun().getId()).isEqualTo(first.getId());
      assertThat(existing.getCreated()).isFalse();
    }
    assertThat(caller.list()).hasSize(1);
  }

  @Test
  @DisplayName("each of a batch of starts has an outcome of its own [R1]")
  void batch() {
    caller.define("order", RunCaller.task("charge"));
    var answer =
        caller
            .runs()
            .startRuns(
                StartRunsRequest.newBuilder()
                    .setWorkspace(caller.workspace())
                    .addRequests(caller.start("order").setIdempotencyKey("a"))
                    .addRequests(caller.start("nothing"))
                    .addRequests(caller.start("order").setIdempotencyKey("a"))
                    .build());
    assertThat(answer.getResultsList()).hasSize(3);
    assertThat(answer.getResults(1).getError().getCode()).isEqualTo(Code.NOT_FOUND.value());
    assertThat(
            Stream.of(answer.getResults(0), answer.getResults(2))
                .map(result -> result.getResponse().getCreated()))
        .containsExactlyInAnyOrder(true, false);
  }
}
