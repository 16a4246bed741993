package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.StartRunResponse;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class HookOwnerIT {
  private static final int CALLERS = 12;
  private final Deployment deployment = Deployment.shared();
  private final HookCaller caller = HookCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  private List<HookCaller> callers() {
    return Stream.generate(() -> caller.via(deployment.target())).limit(CALLERS).toList();
  }

  @RepeatedTest(value = 5, name = "12 runs want one token, one gets it ({currentRepetition}) [H1]")
  void oneOwner() {
    var callers = callers();
    var runs = Stream.generate(() -> caller.runs().started("order")).limit(CALLERS).toList();

    var answers =
        ConcurrentCalls.call(
            CALLERS,
            i ->
                callers
                    .get(i)
                    .futures()
                    .createHook(caller.creation(runs.get(i), "order/1").build()));

    assertThat(answers).filteredOn(CreateHookResponse::hasHook).hasSize(1);
    var owner = caller.get("order/1").getRunId();
    assertThat(answers)
        .filteredOn(CreateHookResponse::hasConflict)
        .hasSize(CALLERS - 1)
        .allMatch(answer -> answer.getConflict().getRunId().equals(owner));
    callers.forEach(HookCaller::close);
  }

  @RepeatedTest(value = 5, name = "of 12 starts one makes a run ({currentRepetition}) [H3, H10]")
  void startsOnce() {
    var callers = callers();
    var request = caller.start("order/1", OnConflict.ON_CONFLICT_REJECT).build();

    var answers =
        ConcurrentCalls.call(CALLERS, i -> callers.get(i).runs().futures().startRun(request));

    assertThat(answers).filteredOn(StartRunResponse::getCreated).hasSize(1);
    var owner = caller.get("order/1").getRunId();
    assertThat(answers)
        .filteredOn(answer -> !answer.getCreated())
        .allMatch(
            answer ->
                answer.getDisposition() == Disposition.DISPOSITION_REJECTED
                    && !answer.hasRun()
                    && answer.getOwner().getRunId().equals(owner));
    assertThat(list()).extracting(Run::getId).containsExactly(owner);
    callers.forEach(HookCaller::close);
  }

  private List<Run> list() {
    return caller
        .runs()
        .runs()
        .listRuns(ListRunsRequest.newBuilder().setWorkspace(caller.runs().workspace()).build())
        .getRunsList();
  }

  @Test
  @DisplayName("a run that asks again gets its own token, with nothing changed [H2]")
  void again() {
    var run = caller.owner("order/1");
    var first = caller.get("order/1");
    for (var i = 0; i < 3; i++) {
      var again = caller.hooks().createHook(caller.creation(run.getId(), "order/1").build());
      assertThat(again.getHook()).isEqualTo(first);
    }
    assertThat(caller.runs().get(run.getId()).getVersion()).isEqualTo(run.getVersion());
  }

  @Test
  @DisplayName("several tokens of one run; each leads to it [H2]")
  void several() {
    var run = caller.owner("a");
    for (var token : List.of("b", "c")) {
      assertThat(caller.hooks().createHook(caller.creation(run.getId(), token).build()).hasHook())
          .isTrue();
    }
    assertThat(Stream.of("a", "b", "c").map(caller::get))
        .allMatch(hook -> hook.getRunId().equals(run.getId()));
    var _ = caller.dispose("b");
    assertThat(caller.owner("b").getId()).isNotEqualTo(run.getId());
    assertThat(caller.get("c").getRunId()).isEqualTo(run.getId());
  }

  @Test
  @DisplayName("the conflict says where the owner stands [H5]")
  void inspect() {
    assertThat(status("pending", "order")).isEqualTo(RunStatus.RUN_STATUS_PENDING);
    assertThat(status("waiting", "approval")).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    var _ = caller.owner("running");
    var _ = caller.runs().poll("w");
    var _ = caller.runs().poll("w");
    assertThat(
            caller
                .send(caller.start("running", OnConflict.ON_CONFLICT_REJECT))
                .getOwner()
                .getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_RUNNING);
  }

  private RunStatus status(String token, String definition) {
    var _ = caller.send(caller.start(definition, token, OnConflict.ON_CONFLICT_REJECT));
    return caller
        .send(caller.start(definition, token, OnConflict.ON_CONFLICT_REJECT))
        .getOwner()
        .getStatus();
  }

  @Test
  @DisplayName(
      "given an unknown, disposed or ended token, then no run receives the signal "
          + "and no call gets OK [H8]")
  void withoutOwner() {
    var _ = caller.owner("disposed");
    var _ = caller.dispose("disposed");
    var ended = caller.owner("ended");
    var _ = caller.cancel(ended.getId());
    for (var token : List.of("unknown", "disposed", "ended")) {
      assertThat(
              Refusal.of(() -> caller.hooks().signalHook(caller.toOwner(token, "1").build()))
                  .reason())
          .as(token)
          .isEqualTo(ErrorReason.ERROR_REASON_HOOK_NOT_FOUND);
      assertThat(Refusal.of(() -> caller.get(token)).reason())
          .isEqualTo(ErrorReason.ERROR_REASON_HOOK_NOT_FOUND);
    }
  }

  @Test
  @DisplayName("each end of a run frees its token at once [H9]")
  void freed() {
    var completed = caller.owner("order/1");
    var task = caller.runs().poll("w");
    var _ = caller.runs().complete(task.getClaim(), "1");
    var cancelled = caller.owner("order/1");
    assertThat(cancelled.getId()).isNotEmpty().isNotEqualTo(completed.getId());
    var _ = caller.cancel(cancelled.getId());
    var disposed = caller.owner("order/1");
    assertThat(disposed.getId()).isNotEmpty();
    assertThat(caller.dispose("order/1").getRunId()).isEqualTo(disposed.getId());
    assertThat(caller.owner("order/1").getId()).isNotEmpty().isNotEqualTo(disposed.getId());
  }

  @Test
  @DisplayName(
      "200 hand-offs over the wire, each start right behind an end, no false " + "conflict [H9]")
  void handOffs() {
    var owner = caller.owner("order/1").getId();
    for (var i = 0; i < 200; i++) {
      var _ = caller.cancel(owner);
      var next = caller.send(caller.start("order/1", OnConflict.ON_CONFLICT_REJECT));
      assertThat(next.getCreated()).as("hand-off " + i).isTrue();
      owner = next.getRun().getId();
    }
  }

  @Test
  @DisplayName("a signal right after the start is delivered, without a retry [H10]")
  void signalAtOnce() {
    for (var i = 0; i < 50; i++) {
      var token = "order/" + i;
      var run =
          caller.send(caller.start("approval", token, OnConflict.ON_CONFLICT_REJECT)).getRun();
      var sent = caller.hooks().signalHook(caller.toOwner(token, "1").build());
      assertThat(sent.getDisposition()).isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
      assertThat(sent.getRunId()).isEqualTo(run.getId());
      assertThat(caller.runs().get(run.getId()).getStatus())
          .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    }
  }

  @Test
  @DisplayName("what is received comes before the disposal, or is not received [H12]")
  void receiveAgainstDispose() {
    for (var round = 0; round < 30; round++) {
      var token = "order/" + round;
      var run = caller.owner(token).getId();
      var signals =
          ConcurrentCalls.send(
              10, i -> caller.futures().signalHook(caller.toOwner(token, "s" + i).build()));
      var _ = caller.dispose(token);
      var received =
          signals.stream()
              .filter(
                  call -> {
                    try {
                      return call.get().getDisposition()
                          == SignalDisposition.SIGNAL_DISPOSITION_BUFFERED;
                    } catch (ExecutionException e) {
                      assertThat(Refusal.of(e).reason())
                          .isEqualTo(ErrorReason.ERROR_REASON_HOOK_NOT_FOUND);
                      return false;
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                  })
              .count();
      var types = caller.runs().events(run).stream().map(RunEvent::getType).toList();
      var disposal = types.indexOf(RunEventType.RUN_EVENT_TYPE_HOOK_DISPOSED);
      assertThat(types.stream().filter(RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED::equals))
          .hasSize((int) received);
      assertThat(types.subList(disposal, types.size()))
          .doesNotContain(RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED);
    }
  }

  @Test
  @DisplayName("a token is of its workspace, and is shown nowhere [H13]")
  void scopeAndSecrecy() {
    var token = "secret-token-4711";
    try (var other = HookCaller.to(deployment.target())) {
      var run = caller.owner(token);
      assertThat(other.owner(token).getId()).isNotEmpty().isNotEqualTo(run.getId());
      var _ = caller.dispose(token);
      assertThat(other.get(token).getRunId()).isNotEqualTo(run.getId());
      assertThat(caller.runs().events(run.getId()).toString()).doesNotContain(token);
      assertThat(list().toString()).doesNotContain(token);
      assertThat(caller.runs().get(run.getId()).toString()).doesNotContain(token);
      assertThat(Refusal.of(() -> caller.get(token)).toString()).doesNotContain(token);
    }
    assertThat(deployment.server().errors()).noneMatch(line -> line.contains(token));
  }

  @Test
  @DisplayName(
      "given a repeated disposal, then it does not release the token of a new owner " + "[X1]")
  void disposedTwice() {
    var first = caller.owner("order/1").getId();
    var request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setToken("order/1")
            .setRunId(first)
            .build();
    var once = caller.hooks().disposeHook(request);
    assertThat(caller.hooks().disposeHook(request))
        .isEqualTo(once.toBuilder().setAlready(true).build());
    var second = caller.owner("order/1").getId();
    assertThat(Refusal.of(() -> caller.hooks().disposeHook(request)).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_HOOK_CONFLICT);
    assertThat(caller.get("order/1").getRunId()).isEqualTo(second);
  }

  @Test
  @DisplayName("the step that asks must still hold its claim [H1]")
  void fenced() {
    var run = caller.runs().started("order");
    var claim = caller.runs().poll("w").getClaim();
    var request = caller.creation(run, "order/1").setClaim(claim);
    assertThat(caller.hooks().createHook(request.build()).hasHook()).isTrue();
    var stale = claim.toBuilder().setFence(claim.getFence() + 1).build();
    var late = caller.creation(run, "order/2").setClaim(stale).build();
    assertThat(caller.hooks().createHook(late).hasClaimLost()).isTrue();
    assertThat(Refusal.of(() -> caller.get("order/2")).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_HOOK_NOT_FOUND);
  }
}
