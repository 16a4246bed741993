package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.DAY;
import static dev.hapax.domain.hook.Rivals.KEY;
import static dev.hapax.domain.hook.Rivals.TOKEN;
import static dev.hapax.domain.hook.Rivals.WAITS;
import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.hook.ConflictPolicy.Reject;
import dev.hapax.domain.hook.ConflictPolicy.SignalExisting;
import dev.hapax.domain.hook.ConflictPolicy.Supersede;
import dev.hapax.domain.hook.ConflictPolicy.UseExisting;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Starts that may take the idempotency key of a run that failed or was cancelled. */
class RestartFailedTest {
  private static final int ORIGINAL = 1;
  private static final int CORRECTED = 2;
  private final Rivals rivals = new Rivals();

  /** The run of the key, in each status. */
  private enum Before {
    PENDING,
    RUNNING,
    WAITING,
    PAUSED,
    COMPLETED,
    FAILED,
    CANCELLED;

    RunId make(Rivals rivals) {
      var start = Rivals.keyed(rivals.start(this == WAITING ? WAITS : WORK), KEY, ORIGINAL, DAY);
      rivals.does(start);
      var run = start.run();
      switch (this) {
        case PENDING, WAITING -> {}
        case RUNNING -> rivals.take(run);
        case PAUSED -> {
          rivals.take(run);
          rivals.steers(run, Verb.PAUSE);
        }
        case COMPLETED -> rivals.completes(run);
        case FAILED -> rivals.fails(run);
        case CANCELLED -> rivals.cancels(run);
      }
      assertThat(rivals.run(run).status().name()).isEqualTo(name());
      return run;
    }

    boolean isRestartable() {
      return this == FAILED || this == CANCELLED;
    }
  }

  private StartRun restart(int request) {
    return Rivals.restarting(rivals.start(WORK), KEY, request);
  }

  private StartRunWithHooks restart(int request, ConflictPolicy policy) {
    return new StartRunWithHooks(
        Rivals.with(restart(request), Rivals.signal("s")),
        List.of(new Wanted(TOKEN, "", Duration.ZERO, policy)));
  }

  private RunId keyed() {
    return rivals.get(KEY).orElseThrow().run();
  }

  @TestFactory
  @DisplayName(
      "given a run of each status, then a different request takes the key of a FAILED or CANCELLED"
          + " one, and an equal one changes nothing [turns-R1, turns-R2, turns-R3]")
  Stream<DynamicTest> statuses() {
    return Stream.of(Before.values())
        .map(
            before ->
                DynamicTest.dynamicTest(before.name(), () -> new RestartFailedTest().meet(before)));
  }

  private void meet(Before before) {
    var earlier = before.make(rivals);
    var was = rivals.run(earlier);
    var records = rivals.records();
    assertThat(rivals.does(restart(ORIGINAL))).isEqualTo(new StartOutcome.Existing(earlier));
    assertThat(rivals.records()).isEqualTo(records);
    var corrected = restart(CORRECTED);

    var outcome = rivals.does(corrected);

    if (!before.isRestartable()) {
      assertThat(outcome)
          .isEqualTo(new StartOutcome.KeyReused(earlier, Fingerprint.of(new byte[] {ORIGINAL})));
      assertThat(rivals.records()).isEqualTo(records);
      return;
    }
    assertThat(outcome)
        .isInstanceOfSatisfying(
            StartOutcome.Restarted.class,
            restarted -> {
              assertThat(restarted.run().id()).isEqualTo(corrected.run());
              assertThat(restarted.from().with(List.of())).isEqualTo(rivals.run(earlier));
            });
    assertThat(keyed()).isEqualTo(corrected.run());
    assertThat(rivals.changes(corrected.run())).hasSize(1);
    assertThat(rivals.changes(earlier).getLast())
        .isEqualTo(new RunChange.Superseded(corrected.run(), true));
    var after = rivals.run(earlier);
    assertThat(after.phase()).isEqualTo(was.phase());
    assertThat(after.version()).isEqualTo(was.version() + 1);
    assertThat(after.tokens().keyLost()).isTrue();
    assertThat(after.tokens().supersededBy()).contains(corrected.run());
    assertThat(rivals.does(restart(CORRECTED)))
        .isEqualTo(new StartOutcome.Existing(corrected.run()));
  }

  @Test
  @DisplayName(
      "given corrected starts in one batch, then the second meets the run of the first [turns-R1]")
  void rivals() {
    var earlier = Before.FAILED.make(rivals);
    var first = restart(CORRECTED);
    var outcomes = rivals.doAll(List.of(first, restart(CORRECTED), restart(3)));
    assertThat(outcomes.getFirst()).isInstanceOf(StartOutcome.Restarted.class);
    assertThat(outcomes.subList(1, 3))
        .containsExactly(
            new StartOutcome.Existing(first.run()),
            new StartOutcome.KeyReused(first.run(), Fingerprint.of(new byte[] {CORRECTED})));
    assertThat(rivals.changes(earlier))
        .filteredOn(RunChange.Superseded.class::isInstance)
        .hasSize(1);
  }

  @Test
  @DisplayName("given a restarted run that fails too, then the next correction restarts that one")
  void chain() {
    var first = Before.FAILED.make(rivals);
    var second = restart(CORRECTED);
    rivals.does(second);
    rivals.fails(second.run());
    var third = restart(ORIGINAL);
    assertThat(rivals.does(third))
        .isInstanceOfSatisfying(
            StartOutcome.Restarted.class,
            restarted -> assertThat(restarted.from().id()).isEqualTo(second.run()));
    assertThat(rivals.run(first).tokens().supersededBy()).contains(second.run());
    assertThat(rivals.run(second.run()).tokens().supersededBy()).contains(third.run());
  }

  @Test
  @DisplayName(
      "given a run that lost its key, then it is neither retried nor settled, also if a token of it"
          + " has another owner [turns-R4]")
  void neverContinued() {
    rivals.does(Rivals.keyed(rivals.start(WORK), KEY, ORIGINAL, DAY));
    var earlier = keyed();
    rivals.does(rivals.create(earlier, Optional.empty()));
    rivals.fails(earlier);
    rivals.does(restart(CORRECTED));
    rivals.owner(WORK, Duration.ZERO);
    var records = rivals.records();
    var refused = new ReopenOutcome.Decided(new ControlOutcome.NotAllowed(rivals.run(earlier)));
    assertThat(rivals.does(rivals.retry(earlier))).isEqualTo(refused);
    for (var verdict :
        List.of(
            new RunChange.Verdict.Repeat(),
            new RunChange.Verdict.Skip(),
            new RunChange.Verdict.Fail(Rivals.FAILURE))) {
      assertThat(rivals.does(rivals.settle(earlier, verdict))).isEqualTo(refused);
    }
    assertThat(rivals.records()).isEqualTo(records);
  }

  @Test
  @DisplayName(
      "given a retry that came first, then the key is reused; one that comes later is refused")
  void retried() {
    var earlier = Before.FAILED.make(rivals);
    var outcomes = rivals.<Object>doAll(List.of(rivals.retry(earlier), restart(CORRECTED)));
    assertThat(outcomes.getLast()).isInstanceOf(StartOutcome.KeyReused.class);
    rivals.fails(earlier);
    var late = rivals.retry(earlier);
    outcomes = rivals.doAll(List.of(restart(CORRECTED), late));
    assertThat(outcomes.getFirst()).isInstanceOf(StartOutcome.Restarted.class);
    assertThat(outcomes.getLast())
        .isInstanceOfSatisfying(
            ReopenOutcome.Decided.class,
            decided -> assertThat(decided.outcome()).isInstanceOf(ControlOutcome.NotAllowed.class));
  }

  @Test
  @DisplayName(
      "given a token of another run, then the start is rejected and the key unchanged [turns-R5]")
  void rejected() {
    var earlier = Before.FAILED.make(rivals);
    var owner = rivals.owner(WORK, Duration.ZERO);
    var records = rivals.records();
    for (var policy : List.of(new Reject(), new Supersede(Optional.of(earlier)))) {
      assertThat(rivals.does(restart(CORRECTED, policy)))
          .isEqualTo(new StartOutcome.Rejected(rivals.run(owner)));
      assertThat(rivals.records()).isEqualTo(records);
    }
  }

  @Test
  @DisplayName("given another owner that answers the request, then the owner gets the key")
  void answeredByOwner() {
    for (var policy : List.of(new UseExisting(), new SignalExisting())) {
      var test = new RestartFailedTest();
      var earlier = Before.FAILED.make(test.rivals);
      var owner = test.rivals.owner(WORK, Duration.ZERO);
      test.rivals.does(test.restart(CORRECTED, policy));
      assertThat(test.keyed()).isEqualTo(owner);
      assertThat(test.rivals.changes(earlier).getLast())
          .isEqualTo(new RunChange.Superseded(owner, true));
    }
  }

  @Test
  @DisplayName(
      "given another owner that is superseded, then it is named first, and the run of the key last")
  void supersedes() {
    var earlier = Before.FAILED.make(rivals);
    var owner = rivals.owner(WORK, Duration.ZERO);
    var start = restart(CORRECTED, new Supersede(Optional.empty()));
    assertThat(rivals.does(start))
        .isInstanceOfSatisfying(
            StartOutcome.Superseded.class,
            superseded ->
                assertThat(superseded.from()).extracting(Run::id).containsExactly(owner, earlier));
    assertThat(rivals.run(owner).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(rivals.owner(TOKEN)).contains(start.start().run());
  }

  @Test
  @DisplayName(
      "given a token that the run of the key retains, then it moves with the key, by any policy")
  void retainedToken() {
    for (var policy :
        List.of(
            new Reject(),
            new UseExisting(),
            new SignalExisting(),
            new Supersede(Optional.empty()),
            new Supersede(Optional.of(rivals.start(WORK).run())))) {
      var test = new RestartFailedTest();
      var all = test.rivals;
      all.does(
          new StartRunWithHooks(
              Rivals.keyed(all.start(WORK), KEY, ORIGINAL, DAY),
              List.of(new Wanted(TOKEN, "", DAY, new Reject()))));
      var earlier = test.keyed();
      all.fails(earlier);
      var start = test.restart(CORRECTED, policy);
      assertThat(all.does(start)).isInstanceOf(StartOutcome.Restarted.class);
      assertThat(all.owner(TOKEN)).contains(start.start().run());
      assertThat(all.run(start.start().run()).tokens().supersedes()).contains(earlier);
      assertThat(all.changes(earlier))
          .filteredOn(RunChange.Superseded.class::isInstance)
          .containsExactly(new RunChange.Superseded(start.start().run(), true));
    }
  }

  @Test
  @DisplayName(
      "given a retained token for which another run waits, then the restart does not pass it by")
  void waitingBehind() {
    rivals.does(
        new StartRunWithHooks(
            Rivals.keyed(rivals.start(WORK), KEY, ORIGINAL, DAY),
            List.of(new Wanted(TOKEN, "", DAY, new Reject()))));
    var earlier = keyed();
    var next = rivals.queues(TOKEN);
    rivals.fails(earlier);
    assertThat(rivals.does(restart(CORRECTED, new Reject())))
        .isEqualTo(new StartOutcome.Rejected(rivals.run(next)));
    assertThat(keyed()).isEqualTo(earlier);
    rivals.cancels(next);
    assertThat(rivals.does(restart(CORRECTED, new Reject())))
        .isInstanceOf(StartOutcome.Restarted.class);
  }

  @Test
  @DisplayName("given a run that lost its key and then a token, then it names the run with the key")
  void keyBeforeToken() {
    rivals.does(
        new StartRunWithHooks(
            Rivals.keyed(rivals.start(WORK), KEY, ORIGINAL, DAY),
            List.of(new Wanted(TOKEN, "", DAY, new Reject()))));
    var earlier = keyed();
    rivals.fails(earlier);
    var corrected = restart(CORRECTED);
    rivals.does(corrected);
    var taker = rivals.runs(WORK);
    rivals.does(rivals.create(taker, Optional.of(new Supersede(Optional.empty()))));
    assertThat(rivals.changes(earlier).getLast()).isEqualTo(new RunChange.Superseded(taker, false));
    assertThat(rivals.run(earlier).tokens().supersededBy()).contains(corrected.run());
    assertThat(rivals.run(earlier).tokens().keyLost()).isTrue();
  }

  @Test
  @DisplayName("given an expired key, then the run of it loses nothing")
  void expired() {
    var earlier = Before.FAILED.make(rivals);
    var was = rivals.run(earlier);
    rivals.later(DAY);
    assertThat(rivals.does(restart(CORRECTED))).isInstanceOf(StartOutcome.Created.class);
    assertThat(rivals.run(earlier)).isEqualTo(was);
  }
}
