package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HookPolicyIT {
  private static final Duration DAY = Duration.newBuilder().setSeconds(86_400).build();
  private final Deployment deployment = Deployment.shared();
  private final HookCaller caller = HookCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  private StartRunRequest.Builder keeping(String token, OnConflict policy, Duration retention) {
    var request = caller.start(token, policy);
    request.getHooksBuilder(0).setRetention(retention);
    return request;
  }

  private Run await(String token) {
    return caller
        .runs()
        .runs()
        .awaitRun(
            AwaitRunRequest.newBuilder()
                .setWorkspace(caller.runs().workspace())
                .setToken(token)
                .setWait(Caller.seconds(20))
                .build())
        .getRun();
  }

  @Test
  @DisplayName("a duplicate adopts the owner's result, while it runs and after it ended [H4]")
  void adopt() {
    var owner = caller.send(keeping("order/1", OnConflict.ON_CONFLICT_REJECT, DAY)).getRun();
    var duplicate = caller.send(keeping("order/1", OnConflict.ON_CONFLICT_USE_EXISTING, DAY));
    assertThat(duplicate.getDisposition()).isEqualTo(Disposition.DISPOSITION_USED_EXISTING);
    assertThat(duplicate.getCreated()).isFalse();
    assertThat(duplicate.getRun().getId()).isEqualTo(owner.getId());
    assertThat(duplicate.getOwner().getRunId()).isEqualTo(owner.getId());
    var _ = caller.runs().complete(caller.runs().poll("w").getClaim(), "{\"paid\": true}");
    assertThat(await("order/1").getOutput().getJson()).isEqualTo("{\"paid\": true}");
    var late = caller.send(keeping("order/1", OnConflict.ON_CONFLICT_USE_EXISTING, DAY));
    assertThat(late.getRun().getOutput().getJson()).isEqualTo("{\"paid\": true}");
    assertThat(late.getOwner().getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName(
      "of an owner that failed the duplicate sees status and failure; the wait is "
          + "honoured [H4]")
  void adoptFailure() {
    var _ = caller.send(keeping("order/1", OnConflict.ON_CONFLICT_REJECT, DAY));
    var request =
        AwaitRunRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setToken("order/1")
            .setWait(Caller.millis(50))
            .build();
    assertThat(caller.runs().runs().awaitRun(request).getRun().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_PENDING);
    var task = caller.runs().poll("w");
    var _ =
        caller
            .runs()
            .worker()
            .failTask(
                caller.runs().failure(task.getClaim(), FailureKind.FAILURE_KIND_FINAL).build());
    var adopted = await("order/1");
    assertThat(adopted.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(adopted.getFailure().getCode()).isEqualTo("DECLINED");
  }

  @Test
  @DisplayName("a signal reaches the owner once per id, others in order [H6]")
  void signalOwner() {
    var owner = caller.owner("order/1");
    var dispositions = new ArrayList<SignalDisposition>();
    for (var id : List.of("s1", "s2", "s1", "s2")) {
      var answer =
          caller.send(
              caller
                  .start("order/1", OnConflict.ON_CONFLICT_SIGNAL_EXISTING)
                  .setSignal(HookCaller.signal(id)));
      assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_SIGNALED);
      assertThat(answer.getRun().getId()).isEqualTo(owner.getId());
      dispositions.add(answer.getSignalDisposition());
    }
    assertThat(dispositions)
        .containsExactly(
            SignalDisposition.SIGNAL_DISPOSITION_BUFFERED,
            SignalDisposition.SIGNAL_DISPOSITION_BUFFERED,
            SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE,
            SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);
    var again = caller.hooks().signalHook(caller.toOwner("order/1", "s1").build());
    assertThat(again.getDisposition()).isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);
    assertThat(again.getRunId()).isEqualTo(owner.getId());
    assertThat(signals(owner.getId())).containsExactly("s1", "s2");
  }

  private List<String> signals(String runId) {
    return caller.runs().events(runId).stream()
        .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
        .map(event -> event.getSignalReceived().getSignal().getSignalId())
        .toList();
  }

  @Test
  @DisplayName("start or signal: 100 callers make one run whose inbox has 100 signals [H6]")
  void startOrSignal() {
    var answers =
        ConcurrentCalls.call(
            100,
            i ->
                caller
                    .runs()
                    .futures()
                    .startRun(
                        caller
                            .start("order/1", OnConflict.ON_CONFLICT_SIGNAL_EXISTING)
                            .setSignal(HookCaller.signal("s" + i))
                            .build()));
    assertThat(answers).filteredOn(StartRunResponse::getCreated).hasSize(1);
    assertThat(answers)
        .extracting(answer -> answer.getRun().getId())
        .containsOnly(caller.get("order/1").getRunId());
    assertThat(signals(caller.get("order/1").getRunId()))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 100).mapToObj(i -> "s" + i).toList());
  }

  @Test
  @DisplayName("an ended owner gets no signal: REJECTED, also within its retention [H8]")
  void signalEnded() {
    var owner = caller.send(keeping("order/1", OnConflict.ON_CONFLICT_REJECT, DAY)).getRun();
    var _ = caller.cancel(owner.getId());
    var answer =
        caller.send(
            keeping("order/1", OnConflict.ON_CONFLICT_SIGNAL_EXISTING, DAY)
                .setSignal(HookCaller.signal("s")));
    assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(answer.getOwner().getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(signals(owner.getId())).isEmpty();
  }

  @Test
  @DisplayName(
      "superseded: the old run is CANCELLED, its worker fenced, the new one owns the "
          + "token [H7]")
  void supersede() {
    var old = caller.owner("order/1");
    var claim = caller.runs().poll("w").getClaim();
    var answer = caller.send(caller.start("order/1", OnConflict.ON_CONFLICT_SUPERSEDE));
    assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_SUPERSEDED);
    assertThat(answer.getCreated()).isTrue();
    assertThat(answer.getRun().getSupersedes()).isEqualTo(old.getId());
    assertThat(answer.getOwner().getRunId()).isEqualTo(old.getId());
    var left = caller.runs().get(old.getId());
    assertThat(left.getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(left.getSupersededBy()).isEqualTo(answer.getRun().getId());
    var late = caller.runs().complete(claim, "1");
    assertThat(late.getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_SUPERSEDED);
    assertThat(caller.get("order/1").getRunId()).isEqualTo(answer.getRun().getId());
  }

  @Test
  @DisplayName("expected_owner: only that run is superseded [H7]")
  void expectedOwner() {
    var old = caller.owner("order/1");
    var other = caller.owner("order/2");
    var wrong = caller.send(superseding("order/1", other.getId()));
    assertThat(wrong.getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(caller.get("order/1").getRunId()).isEqualTo(old.getId());
    var right = caller.send(superseding("order/1", old.getId()));
    assertThat(right.getDisposition()).isEqualTo(Disposition.DISPOSITION_SUPERSEDED);
    assertThat(right.getSupersededRunIdsList()).containsExactly(old.getId());
  }

  private StartRunRequest.Builder superseding(String token, String owner) {
    var request = caller.start(token, OnConflict.ON_CONFLICT_SUPERSEDE);
    request.getHooksBuilder(0).setExpectedOwner(owner);
    return request;
  }

  @Test
  @DisplayName(
      "200 supersede at once: one lives, a chain without a gap, and always one owner " + "[H7]")
  void chain() throws Exception {
    var first = caller.owner("order/1").getId();
    var over = new AtomicBoolean();
    var looks = new ArrayList<String>();
    try (ExecutorService observer = Executors.newSingleThreadExecutor()) {
      var observing =
          observer.submit(
              () -> {
                do {
                  // fails if no run owns it
                  looks.add(caller.get("order/1").getRunId());
                } while (!over.get());
              });
      var answers =
          ConcurrentCalls.call(
              200,
              _ ->
                  caller
                      .runs()
                      .futures()
                      .startRun(caller.start("order/1", OnConflict.ON_CONFLICT_SUPERSEDE).build()));
      over.set(true);
      observing.get();
      assertThat(answers).allMatch(StartRunResponse::getCreated);
      var seen = new HashSet<String>();
      var next = first;
      while (!next.isEmpty()) {
        assertThat(seen.add(next)).isTrue();
        var run = caller.runs().get(next);
        assertThat(run.getStatus() == RunStatus.RUN_STATUS_CANCELLED)
            .isEqualTo(!run.getSupersededBy().isEmpty());
        next = run.getSupersededBy();
      }
      assertThat(seen).hasSize(201).containsAll(looks);
    }
  }

  @Test
  @DisplayName("also within the retention: the ended run stays as it ended [H7]")
  void supersedeEnded() {
    var old = caller.send(keeping("order/1", OnConflict.ON_CONFLICT_REJECT, DAY)).getRun();
    var _ = caller.runs().complete(caller.runs().poll("w").getClaim(), "1");
    var answer = caller.send(keeping("order/1", OnConflict.ON_CONFLICT_SUPERSEDE, DAY));
    assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_SUPERSEDED);
    var left = caller.runs().get(old.getId());
    assertThat(left.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(left.getSupersededBy()).isEqualTo(answer.getRun().getId());
    assertThat(caller.runs().events(old.getId()).getLast().getType())
        .isEqualTo(RunEventType.RUN_EVENT_TYPE_SUPERSEDED);
  }

  @Test
  @DisplayName("with a retention the token answers with the ended owner until it is over [H11]")
  void retention() {
    var request = keeping("order/1", OnConflict.ON_CONFLICT_REJECT, DAY);
    var owner = caller.send(request).getRun();
    var _ = caller.runs().complete(caller.runs().poll("w").getClaim(), "1");
    var kept = caller.get("order/1");
    assertThat(kept.getRunId()).isEqualTo(owner.getId());
    assertThat(kept.hasEndedAt()).isTrue();
    assertThat(caller.send(request).getOwner().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);

    var soon = keeping("order/2", OnConflict.ON_CONFLICT_REJECT, Caller.seconds(1));
    var other = caller.send(soon).getRun();
    var _ = caller.runs().complete(caller.runs().poll("w").getClaim(), "1");
    Condition.await("the token is free", () -> caller.send(soon).getCreated());
    assertThat(caller.get("order/2").getRunId()).isNotEqualTo(other.getId());
    assertThat(caller.get("order/1").getRunId()).isEqualTo(owner.getId());
  }

  @Test
  @DisplayName("a failed run that is retried has its tokens again, or is refused [H9, H11]")
  void retried() {
    var run = caller.owner("order/1");
    fail();
    var taker = caller.owner("order/1");
    var retry =
        RetryRunRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setRunId(run.getId())
            .setRequestId("r1")
            .build();
    var refused = Refusal.of(() -> caller.runs().runs().retryRun(retry));
    assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_HOOK_CONFLICT);
    assertThat(refused.metadata()).containsEntry("run_id", taker.getId());
    assertThat(caller.runs().get(run.getId()).getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    var _ = caller.cancel(taker.getId());
    assertThat(caller.runs().runs().retryRun(retry).getRun().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    assertThat(caller.get("order/1").getRunId()).isEqualTo(run.getId());
  }

  private void fail() {
    var claim = caller.runs().poll("w").getClaim();
    var _ =
        caller
            .runs()
            .worker()
            .failTask(caller.runs().failure(claim, FailureKind.FAILURE_KIND_FINAL).build());
  }

  @Test
  @DisplayName("a start with a key and a token that is sent again has the run it led to [X1]")
  void keyAndToken() {
    for (var policy :
        List.of(
            OnConflict.ON_CONFLICT_REJECT,
            OnConflict.ON_CONFLICT_USE_EXISTING,
            OnConflict.ON_CONFLICT_SUPERSEDE)) {
      var request = caller.start("order/" + policy, policy).setIdempotencyKey("key-" + policy);
      var first = caller.send(request);
      var again = caller.send(request);
      assertThat(again.getRun().getId()).isEqualTo(first.getRun().getId());
      assertThat(again.getDisposition()).isEqualTo(Disposition.DISPOSITION_EXISTING);
    }
    var rejected =
        caller
            .start("order/" + OnConflict.ON_CONFLICT_REJECT, OnConflict.ON_CONFLICT_REJECT)
            .setIdempotencyKey("never bound");
    assertThat(caller.send(rejected).getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(
            caller
                .send(
                    caller
                        .start("free", OnConflict.ON_CONFLICT_REJECT)
                        .setIdempotencyKey("never bound"))
                .getCreated())
        .isTrue();
  }

  @Test
  @DisplayName("what contradicts itself is refused, naming the field [X4]")
  void badInput() {
    assertThat(fields(caller.start("", OnConflict.ON_CONFLICT_REJECT)))
        .containsExactly("hooks[0].token");
    assertThat(fields(caller.start("t".repeat(256), OnConflict.ON_CONFLICT_REJECT)))
        .containsExactly("hooks[0].token");
    assertThat(fields(caller.start("t", OnConflict.ON_CONFLICT_SIGNAL_EXISTING)))
        .containsExactly("signal");
    var expecting = caller.start("t", OnConflict.ON_CONFLICT_REJECT);
    expecting.getHooksBuilder(0).setExpectedOwner("run_x");
    assertThat(fields(expecting)).containsExactly("hooks[0].expected_owner");
    var unknown = caller.start("t", OnConflict.ON_CONFLICT_REJECT);
    unknown.getHooksBuilder(0).setOnConflictValue(9);
    assertThat(fields(unknown)).containsExactly("hooks[0].on_conflict");
    assertThat(
            fields(
                keeping(
                    "t",
                    OnConflict.ON_CONFLICT_REJECT,
                    Duration.newBuilder().setSeconds(-1).build())))
        .containsExactly("hooks[0].retention");
    assertThat(Stream.of("t").map(caller::owner)).allMatch(run -> !run.getId().isEmpty());
  }

  private List<String> fields(StartRunRequest.Builder request) {
    return Refusal.of(() -> caller.send(request)).fields();
  }

  @Test
  @DisplayName("the signal of a start is in the inbox before the first step [H10]")
  void firstSignal() {
    var run =
        caller
            .send(
                caller
                    .start("approval", "order/1", OnConflict.ON_CONFLICT_REJECT)
                    .setSignal(HookCaller.signal("s")))
            .getRun();
    assertThat(caller.runs().awaitEnd(run.getId()).getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(caller.runs().events(run.getId()))
        .extracting(RunEvent::getType)
        .startsWith(
            RunEventType.RUN_EVENT_TYPE_CREATED,
            RunEventType.RUN_EVENT_TYPE_HOOK_CREATED,
            RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED);
  }
}
