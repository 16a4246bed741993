package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RetryRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import io.grpc.Status.Code;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Corrected starts under the keys of runs that failed or were cancelled, on two servers. */
class RestartFailedIT {
  private static final int MONITORS = 36;
  private static final int CALLERS = 50;
  private static final int CONNECTIONS = 5;
  private static final Deployment DEPLOYMENT = Deployment.start();
  private static final String OTHER_SERVER = DEPLOYMENT.add().awaitReady();
  private static final String KEY = "monitor/36";
  private final RunCaller caller = RunCaller.to(DEPLOYMENT.target());
  private final RunCaller other = caller.via(OTHER_SERVER);

  @BeforeAll
  static void twoServers() {
    assertThat(DEPLOYMENT.database().query("SELECT count(*) FROM hapax.live_node")).isEqualTo("2");
  }

  @BeforeEach
  void define() {
    caller.define("monitor", RunCaller.task("check"));
  }

  @AfterEach
  void close() {
    other.close();
    caller.close();
  }

  @AfterAll
  static void stop() {
    DEPLOYMENT.close();
  }

  private StartRunRequest.Builder start(String key, String url) {
    return caller.start("monitor").setIdempotencyKey(key).setInput(Caller.json('"' + url + '"'));
  }

  private StartRunRequest.Builder corrected(String key) {
    return corrected(key, "fixed");
  }

  private StartRunRequest.Builder corrected(String key, String url) {
    return start(key, url).setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED);
  }

  private String failed(String key) {
    var id = caller.send(start(key, "wrong")).getRun().getId();
    fail(id);
    return id;
  }

  private void fail(String id) {
    var task = caller.poll("worker");
    assertThat(task.getRun().getId()).isEqualTo(id);
    var failure = caller.failure(task.getClaim(), FailureKind.FAILURE_KIND_FINAL);
    assertThat(caller.worker().failTask(failure.build()).hasFailed()).isTrue();
  }

  private RetryRunRequest retry(String id) {
    return RetryRunRequest.newBuilder().setWorkspace(caller.workspace()).setRunId(id).build();
  }

  /** The events by which a run lost its key. */
  private List<RunEvent.Superseded> losses(String id) {
    return caller.events(id).stream()
        .filter(event -> event.getSuperseded().getByKey())
        .map(RunEvent::getSuperseded)
        .toList();
  }

  private static void requireReplaced(Refusal refusal, String by) {
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_ILLEGAL_TRANSITION);
    assertThat(refusal.metadata()).containsEntry("superseded_by", by);
  }

  @Test
  @DisplayName(
      "given 36 failed monitors that 50 callers correct at once, then each has one new run"
          + " [turns-R1]")
  void monitors() {
    var keys = IntStream.range(0, MONITORS).mapToObj(i -> "monitor/" + i).toList();
    var earlier = keys.stream().map(this::failed).toList();
    var callers =
        IntStream.range(0, CONNECTIONS)
            .mapToObj(i -> caller.via(i % 2 == 0 ? DEPLOYMENT.target() : OTHER_SERVER))
            .toList();

    var answers =
        ConcurrentCalls.call(
            CALLERS * MONITORS,
            i ->
                callers
                    .get(i % CONNECTIONS)
                    .futures()
                    .startRun(corrected(keys.get(i / CALLERS)).build()));

    for (var i = 0; i < MONITORS; i++) {
      var ofKey = answers.subList(i * CALLERS, (i + 1) * CALLERS);
      var created = ofKey.stream().filter(StartRunResponse::getCreated).toList();
      assertThat(created).hasSize(1);
      var next = created.getFirst();
      assertThat(next.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);
      assertThat(next.getSupersededRunIdsList()).containsExactly(earlier.get(i));
      assertThat(ofKey)
          .extracting(answer -> answer.getRun().getId())
          .containsOnly(next.getRun().getId());
      assertThat(losses(earlier.get(i)))
          .extracting(RunEvent.Superseded::getSupersededBy)
          .containsExactly(next.getRun().getId());
    }
    assertThat(caller.list()).hasSize(2 * MONITORS);
    callers.forEach(RunCaller::close);
  }

  @Test
  @DisplayName("given a lost answer, when the call is sent again, then it finds the run [turns-R2]")
  void lostAnswer() {
    failed(KEY);
    try (var proxy = new CuttingProxy(DEPLOYMENT.target());
        var unlucky = caller.via(proxy.target())) {
      proxy.loseAnswer(() -> unlucky.send(corrected(KEY)));
      var again = unlucky.send(corrected(KEY));
      assertThat(again.getDisposition()).isEqualTo(Disposition.DISPOSITION_EXISTING);
      assertThat(again.getSupersededRunIdsList()).isEmpty();
      assertThat(caller.list()).hasSize(2);
      // also when the corrected run has failed: it is the same request
      fail(again.getRun().getId());
      assertThat(caller.send(corrected(KEY)).getRun().getId()).isEqualTo(again.getRun().getId());
    }
  }

  @Test
  @DisplayName("given a run that is not FAILED or CANCELLED, then the key is reused [turns-R3]")
  void otherStatuses() {
    var id = caller.send(start(KEY, "wrong")).getRun().getId();
    requireReused(id, RunStatus.RUN_STATUS_PENDING);
    var task = caller.poll("worker");
    requireReused(id, RunStatus.RUN_STATUS_RUNNING);
    var _ = caller.complete(task.getClaim(), "1");
    requireReused(id, RunStatus.RUN_STATUS_COMPLETED);
    assertThat(caller.list()).hasSize(1);
  }

  private void requireReused(String id, RunStatus status) {
    var before = caller.get(id);
    assertThat(before.getStatus()).isEqualTo(status);
    var refusal = Refusal.of(() -> caller.send(corrected(KEY)));
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED);
    assertThat(refusal.metadata()).containsEntry("run_id", id).containsEntry("mismatch", "input");
    assertThat(caller.get(id)).isEqualTo(before);
  }

  @Test
  @DisplayName(
      "given a run that lost its key, then it cannot be retried or settled, and the error names the"
          + " new run [turns-R4]")
  void neverContinued() {
    var id = failed(KEY);
    var next = other.send(corrected(KEY)).getRun().getId();

    requireReplaced(Refusal.of(() -> caller.runs().retryRun(retry(id))), next);
    requireReplaced(Refusal.of(() -> other.runs().retryRun(retry(id))), next);
    var settlement =
        SettleStepRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setStepName("check")
            .setReason("checked by hand");
    for (var verdict :
        List.of(
            settlement.clone().setRepeat(Empty.getDefaultInstance()),
            settlement.clone().setSkip(Empty.getDefaultInstance()))) {
      requireReplaced(Refusal.of(() -> caller.runs().settleStep(verdict.build())), next);
    }
    var after = caller.get(id);
    assertThat(after.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(after.getSupersededBy()).isEqualTo(next);
    var explained = caller.explain(id);
    assertThat(explained.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_ENDED);
    assertThat(String.join("\n", explained.getSentencesList())).contains(next);
  }

  @Test
  @DisplayName(
      "given a token of another run, then the start is rejected, and the key unchanged [turns-R5]")
  void rejected() {
    var id = failed(KEY);
    var token = StartRunRequest.Hook.newBuilder().setToken("check/36");
    var owner = caller.send(caller.start("monitor").addHooks(token)).getRun().getId();

    var answer = caller.send(corrected(KEY).addHooks(token));

    assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(answer.getOwner().getRunId()).isEqualTo(owner);
    assertThat(caller.send(start(KEY, "wrong")).getRun().getId()).isEqualTo(id);
    assertThat(losses(id)).isEmpty();
    assertThat(caller.runs().retryRun(retry(id)).getRun().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_RUNNING);
  }

  @Test
  @DisplayName("given a token that the failed run retains, then the corrected start gets it")
  void retainedToken() {
    var token =
        StartRunRequest.Hook.newBuilder().setToken("check/36").setRetention(Caller.seconds(600));
    var id = caller.send(start(KEY, "wrong").addHooks(token)).getRun().getId();
    fail(id);

    var answer = caller.send(corrected(KEY).addHooks(token));

    assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);
    assertThat(answer.getSupersededRunIdsList()).containsExactly(id);
    assertThat(caller.get(answer.getRun().getId()).getSupersedes()).isEqualTo(id);
  }

  @RepeatedTest(
      value = 20,
      name =
          "of two corrections at once one wins, and the other is compared with it ({currentRepetition}) [turns-R1]")
  void rivals() {
    var id = failed(KEY);
    var calls =
        List.of(
            caller.futures().startRun(corrected(KEY, "one").build()),
            other.futures().startRun(corrected(KEY, "two").build()));

    var won = calls.stream().flatMap(call -> answer(call).stream()).toList();

    assertThat(won).hasSize(1);
    var next = won.getFirst().getRun().getId();
    assertThat(refusals(calls))
        .singleElement()
        .satisfies(
            refusal -> {
              assertThat(refusal.reason())
                  .isEqualTo(ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED);
              assertThat(refusal.metadata()).containsEntry("run_id", next);
            });
    assertThat(losses(id)).hasSize(1);
    assertThat(caller.list()).hasSize(2);
  }

  @RepeatedTest(
      value = 20,
      name = "of a retry and a correction at once one wins ({currentRepetition}) [turns-R4]")
  void retryAndCorrection() {
    var id = failed(KEY);
    var retried = caller.futures().retryRun(retry(id));
    var started = other.futures().startRun(corrected(KEY).build());

    var next = answer(started).map(StartRunResponse::getRun).map(Run::getId);
    var isRetried = answer(retried).map(RetryRunResponse::getRun).isPresent();

    assertThat(isRetried).isEqualTo(next.isEmpty());
    if (next.isPresent()) {
      refusals(List.of(retried)).forEach(refusal -> requireReplaced(refusal, next.get()));
      assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    } else {
      assertThat(refusals(List.of(started)))
          .extracting(Refusal::reason)
          .containsExactly(ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED);
      assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);
      assertThat(losses(id)).isEmpty();
    }
  }

  private static <T> Optional<T> answer(Future<T> call) {
    try {
      return Optional.of(call.get());
    } catch (ExecutionException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static List<Refusal> refusals(List<? extends Future<?>> calls) {
    var refusals = new ArrayList<Refusal>();
    for (var call : calls) {
      try {
        call.get();
      } catch (ExecutionException e) {
        refusals.add(Refusal.of(e));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
    return refusals;
  }

  @Test
  @DisplayName(
      "given an intent with restart_failed, then it takes the key as StartRun does [turns-R1]")
  void bySql() throws SQLException {
    var id = failed(KEY);
    try (var sql = SqlCaller.to(DEPLOYMENT.database(), caller)) {
      var arguments =
          "'monitor', '\"fixed\"', idempotency_key => '%s', on_key_mismatch => 'restart_failed'"
              .formatted(KEY);
      var ticket = sql.post("start_run", arguments);
      var started = sql.await(ticket).getStarted();
      assertThat(started.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);
      assertThat(started.getRunId()).isEqualTo(ticket);
      assertThat(losses(id))
          .extracting(RunEvent.Superseded::getSupersededBy)
          .containsExactly(ticket);
      assertThat(sql.await(sql.post("start_run", arguments)).getStarted().getRunId())
          .isEqualTo(ticket);
    }
  }

  @Test
  @DisplayName("given no key, then the field is refused, and nothing starts")
  void withoutKey() {
    var refusal = Refusal.of(() -> caller.send(corrected("")));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.fields()).containsExactly("on_key_mismatch");
    assertThat(caller.list()).isEmpty();
    assertThat(caller.send(corrected(KEY)).getCreated()).isTrue();
  }
}
