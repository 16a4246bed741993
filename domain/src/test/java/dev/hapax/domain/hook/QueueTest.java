package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.DAY;
import static dev.hapax.domain.hook.Rivals.KEY;
import static dev.hapax.domain.hook.Rivals.TOKEN;
import static dev.hapax.domain.hook.Rivals.WAITS;
import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.ConflictPolicy.Queue;
import dev.hapax.domain.hook.ConflictPolicy.Reject;
import dev.hapax.domain.hook.ConflictPolicy.SignalExisting;
import dev.hapax.domain.hook.ConflictPolicy.Supersede;
import dev.hapax.domain.hook.ConflictPolicy.UseExisting;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that wait for tokens. */
class QueueTest {
  private static final HookId A = Rivals.token("a");
  private static final HookId B = Rivals.token("b");
  private static final HookId C = Rivals.token("c");
  private static final Supersede TAKE = new Supersede(Optional.empty());

  private final Rivals rivals = new Rivals();

  private RunStatus status(RunId run) {
    return rivals.run(run).status();
  }

  private boolean isWaiting(RunId run) {
    return rivals.run(run).phase() instanceof Phase.Blocked;
  }

  private static StartOutcome.Queued queued(StartOutcome outcome) {
    assertThat(outcome).isInstanceOf(StartOutcome.Queued.class);
    return (StartOutcome.Queued) outcome;
  }

  private List<Class<?>> changes(RunId run) {
    return rivals.changes(run).stream().<Class<?>>map(Object::getClass).toList();
  }

  private RunId owner(HookId token) {
    return rivals.owner(token).orElseThrow();
  }

  @Test
  @DisplayName("given runs that wait, then each gets the token when the one before has ended")
  @Tag("turns-F1")
  void order() {
    var first = rivals.queues(TOKEN);
    var second = rivals.queues(TOKEN);
    var third = rivals.later(Duration.ofSeconds(3)).queues(TOKEN);
    assertThat(changes(first))
        .containsExactly(RunChange.Created.class, RunChange.HookCreated.class);
    assertThat(changes(second)).containsExactly(RunChange.Created.class, RunChange.Blocked.class);
    assertThat(status(second)).isEqualTo(RunStatus.PENDING);
    assertThat(rivals.run(second).due()).isEmpty();
    assertThat(rivals.run(second).queue()).isEmpty();

    rivals.completes(first);
    rivals.later(Duration.ofSeconds(1)).passTurns();
    assertThat(owner(TOKEN)).isEqualTo(second);
    assertThat(isWaiting(third)).isTrue();
    assertThat(changes(second))
        .containsExactly(
            RunChange.Created.class,
            RunChange.Blocked.class,
            RunChange.Admitted.class,
            RunChange.HookCreated.class);
    assertThat(((RunChange.Admitted) rivals.changes(second).get(2)).waited())
        .isEqualTo(Duration.ofSeconds(4));
    assertThat(rivals.run(second).due()).contains(rivals.now());

    rivals.completes(second);
    rivals.passTurns();
    rivals.completes(third);
    assertThat(rivals.waiting(TOKEN)).isEmpty();
    assertThat(rivals.get(TOKEN).orElseThrow().turns().waiting()).isZero();
  }

  @Test
  @DisplayName("given an owner that ends in any way, then the next run gets the token")
  @Tag("turns-F2")
  void everyEnd() {
    var ends =
        List.<Consumer<RunId>>of(
            rivals::cancels,
            rivals::fails,
            rivals::completes,
            _ -> rivals.does(Rivals.dispose(Optional.empty())));
    var owner = rivals.queues(TOKEN);
    for (var end : ends) {
      var next = rivals.queues(TOKEN);
      end.accept(owner);
      assertThat(isWaiting(next)).isTrue();
      rivals.passTurns();
      assertThat(owner(TOKEN)).isEqualTo(next);
      owner = next;
    }
  }

  @Test
  @DisplayName(
      "given an owner with a retention, then the line begins at its end, and holds as long"
          + " as no run waits")
  void retention() {
    var kept = rivals.owner(WORK, DAY);
    var next = rivals.queues(TOKEN);
    rivals.completes(kept);
    rivals.passTurns();
    assertThat(owner(TOKEN)).isEqualTo(next);

    rivals.completes(next);
    var alone = rivals.owner(WORK, DAY);
    rivals.completes(alone);
    assertThat(rivals.does(rivals.own(WORK, Duration.ZERO, new Reject())))
        .isInstanceOf(StartOutcome.Rejected.class);
    assertThat(rivals.does(rivals.queue(1, false, TOKEN))).isInstanceOf(StartOutcome.Created.class);
  }

  @Test
  @DisplayName("given a full line, then the start is rejected, and its key can be used again")
  @Tag("turns-F5")
  void full() {
    var owner = rivals.queues(TOKEN);
    var waits = rivals.queues(TOKEN);
    var start = rivals.queue(1, false, TOKEN);
    var third = new StartRunWithHooks(Rivals.keyed(start.start(), KEY, 1, DAY), start.wanted());
    assertThat(rivals.does(third)).isEqualTo(new StartOutcome.Rejected(rivals.run(owner)));
    assertThat(rivals.get(third.start().run())).isEmpty();
    assertThat(rivals.get(KEY)).isEmpty();

    rivals.cancels(waits);
    var outcome = queued(rivals.does(third));
    assertThat(outcome.ahead()).isZero();
    assertThat(rivals.does(third)).isEqualTo(new StartOutcome.Existing(third.start().run()));
    assertThat(rivals.waiting(TOKEN)).hasSize(1);
  }

  @Test
  @DisplayName("given a full line and SUPERSEDE, then the newest run waits instead of the other")
  @Tag("turns-F5")
  void latestWaits() {
    var owner = rivals.queues(TOKEN);
    var second = queued(rivals.does(rivals.queue(1, true, TOKEN))).run().id();
    var third = queued(rivals.does(rivals.queue(1, true, TOKEN)));
    assertThat(third.instead()).extracting(Run::id).containsExactly(second);
    assertThat(status(second)).isEqualTo(RunStatus.CANCELLED);
    assertThat(rivals.run(second).tokens().supersededBy()).contains(third.run().id());
    rivals.completes(owner);
    rivals.passTurns();
    assertThat(owner(TOKEN)).isEqualTo(third.run().id());
  }

  @Test
  @DisplayName("given a run that waits for another token, then its end lets the newest start")
  void latestStarts() {
    rivals.queues(B);
    var waits = rivals.queues(A, B);
    var outcome = rivals.does(rivals.queue(1, true, A));
    assertThat(outcome)
        .isInstanceOfSatisfying(
            StartOutcome.Superseded.class,
            taken -> {
              assertThat(taken.from()).extracting(Run::id).containsExactly(waits);
              assertThat(owner(A)).isEqualTo(taken.run().id());
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16})
  @DisplayName("given cancelled runs in a line, then they count neither for limits nor for owners")
  @Tag("turns-F8")
  void cancelled(int window) {
    rivals.window(window);
    var owner = rivals.queues(TOKEN);
    var waiting = IntStream.range(0, 40).mapToObj(_ -> rivals.queues(TOKEN)).toList();
    assertThat(rivals.does(rivals.queue(40, false, TOKEN)))
        .isInstanceOf(StartOutcome.Rejected.class);
    waiting.stream().limit(39).forEach(rivals::cancels);
    assertThat(queued(rivals.does(rivals.queue(40, false, TOKEN))).ahead()).isEqualTo(1);
    assertThat(rivals.waiting(TOKEN)).hasSize(2);

    rivals.waiting(TOKEN).forEach(place -> rivals.cancels(place.run()));
    rivals.completes(owner);
    assertThat(rivals.does(rivals.own(WORK, Duration.ZERO, new Reject())))
        .as("before any turn is passed")
        .isInstanceOf(StartOutcome.Created.class);
    rivals.passTurns();
    assertThat(rivals.get(TOKEN).orElseThrow().turns().waiting()).isLessThanOrEqualTo(40);
  }

  @Test
  @DisplayName("given several starts in one batch, then the limit holds and one gets the token")
  void inOneBatch() {
    var starts = IntStream.range(0, 8).mapToObj(_ -> rivals.queue(3, false, TOKEN)).toList();
    var outcomes = rivals.window(1).doAll(starts);
    assertThat(outcomes)
        .extracting(outcome -> outcome.getClass().getSimpleName())
        .containsExactly(
            "Created",
            "Queued",
            "Queued",
            "Queued",
            "Rejected",
            "Rejected",
            "Rejected",
            "Rejected");
    rivals.cancels(rivals.waiting(TOKEN).getFirst().run());
    assertThat(rivals.doAll(Stream.of(1, 2).map(_ -> rivals.queue(3, false, TOKEN)).toList()))
        .extracting(outcome -> outcome.getClass().getSimpleName())
        .containsExactly("Queued", "Rejected");
  }

  @Test
  @DisplayName("given tokens in a ring, then a free token is kept for the run that is first")
  @Tag("turns-F7")
  void ring() {
    var first = rivals.queues(A, B);
    var second = rivals.queues(B, C);
    var third = rivals.queues(A, C);
    var fourth = rivals.queues(C);
    assertThat(rivals.owner(C)).as("second is first in its line").isEmpty();
    assertThat(isWaiting(fourth)).isTrue();
    rivals.completes(first);
    rivals.passTurns();
    assertThat(owner(B)).isEqualTo(second);
    assertThat(rivals.owner(A)).isEmpty();
    rivals.completes(second);
    rivals.passTurns();
    assertThat(owner(A)).isEqualTo(third);
    assertThat(owner(C)).isEqualTo(third);
    rivals.completes(third);
    rivals.passTurns();
    assertThat(owner(C)).isEqualTo(fourth);
  }

  @Test
  @DisplayName("given the first of two lines, when it is cancelled, then both go on")
  @Tag("turns-F6")
  void cancelledFirst() {
    rivals.queues(B);
    var first = rivals.queues(A, B);
    var behind = rivals.queues(A);
    assertThat(isWaiting(behind)).isTrue();
    rivals.cancels(first);
    rivals.passTurns();
    assertThat(owner(A)).isEqualTo(behind);
  }

  @Test
  @DisplayName(
      "given a start in the future, then the run waits for its turn, and then for the time")
  @Tag("turns-F9")
  void startAt() {
    var owner = rivals.queues(TOKEN);
    var later = rivals.now().plus(DAY);
    var start = rivals.queue(1, false, TOKEN);
    var delayed = at(start.start(), later);
    queued(rivals.does(new StartRunWithHooks(delayed, start.wanted())));
    rivals.completes(owner);
    rivals.passTurns();
    assertThat(owner(TOKEN)).isEqualTo(delayed.run());
    assertThat(rivals.run(delayed.run()).due()).contains(later);
  }

  private static StartRun at(StartRun start, Instant time) {
    return new StartRun(
        start.run(),
        start.definition(),
        start.parameters().input(),
        start.parameters().labels(),
        Optional.of(time),
        start.key(),
        start.signal(),
        start.actor());
  }

  @Test
  @DisplayName(
      "given a failed owner, when it is retried before the next run has the token, then the"
          + " line waits; afterwards it is refused")
  @Tag("turns-F10")
  void retry() {
    var owner = rivals.queues(TOKEN);
    var next = rivals.queues(TOKEN);
    rivals.fails(owner);
    var hints = rivals.takeHints();
    rivals.does(rivals.retry(owner));
    assertThat(owner(TOKEN)).isEqualTo(owner);
    rivals.doAll(hints);
    assertThat(isWaiting(next)).isTrue();

    rivals.fails(owner);
    rivals.passTurns();
    assertThat(owner(TOKEN)).isEqualTo(next);
    assertThat(rivals.does(rivals.retry(owner))).isInstanceOf(ReopenOutcome.Conflict.class);
  }

  @Test
  @DisplayName("given a run that failed in the line, when it is retried, then it goes to the end")
  @Tag("turns-F10")
  void retryInLine() {
    var owner = rivals.queues(TOKEN);
    var failed = rivals.queues(TOKEN);
    var next = rivals.queues(TOKEN);
    rivals.failsInLine(failed);
    assertThat(rivals.does(rivals.retry(failed)))
        .isInstanceOf(ReopenOutcome.Decided.class)
        .extracting(outcome -> ((ReopenOutcome.Decided) outcome).outcome())
        .isInstanceOf(ControlOutcome.Applied.class);
    assertThat(rivals.waiting(TOKEN)).extracting(Line.Place::run).containsExactly(next, failed);
    rivals.completes(owner);
    rivals.passTurns();
    rivals.completes(next);
    rivals.failsInLine(failed);
    rivals.passTurns();
    rivals.does(rivals.retry(failed));
    assertThat(owner(TOKEN)).as("the token is free").isEqualTo(failed);
    rivals.completes(failed);
  }

  @Test
  @DisplayName("given a token without an owner, then the first waiting run answers for it")
  void standsIn() {
    rivals.queues(B);
    var first = rivals.queues(TOKEN, B);
    assertThat(rivals.owner(TOKEN)).isEmpty();

    assertThat(rivals.does(rivals.own(WORK, Duration.ZERO, new Reject())))
        .isEqualTo(new StartOutcome.Rejected(rivals.run(first)));
    assertThat(rivals.does(rivals.own(WORK, Duration.ZERO, new UseExisting())))
        .isEqualTo(new StartOutcome.UsedExisting(rivals.run(first)));
    assertThat(rivals.does(Rivals.signalHook("s"))).isInstanceOf(SignalHookOutcome.Accepted.class);
    assertThat(rivals.run(first).inbox().unconsumed()).isEqualTo(1);
    var start = Rivals.with(rivals.start(WORK), Rivals.signal("t"));
    assertThat(
            rivals.does(
                new StartRunWithHooks(
                    start, List.of(new Wanted(TOKEN, "", DAY, new SignalExisting())))))
        .isInstanceOf(StartOutcome.Signalled.class);
    var other = rivals.runs(WAITS);
    assertThat(rivals.does(rivals.create(other, Optional.empty())))
        .isEqualTo(new CreateHookOutcome.Conflict(rivals.run(first)));
    assertThat(rivals.does(Rivals.dispose(Optional.empty())))
        .isEqualTo(new DisposeHookOutcome.NotFound());
  }

  @Test
  @DisplayName(
      "given a token without an owner, when a run supersedes, then the line goes on after it")
  void supersede() {
    rivals.queues(B);
    var first = rivals.queues(TOKEN, B);
    var behind = rivals.queues(TOKEN);
    var outcome = rivals.does(rivals.own(WORK, Duration.ZERO, TAKE));
    assertThat(outcome).isInstanceOf(StartOutcome.Superseded.class);
    assertThat(status(first)).isEqualTo(RunStatus.CANCELLED);
    rivals.passTurns();
    assertThat(isWaiting(behind)).isTrue();
    rivals.completes(owner(TOKEN));
    rivals.passTurns();
    assertThat(owner(TOKEN)).isEqualTo(behind);
  }

  @Test
  @DisplayName("given an owner, when it is superseded, then the line waits for the new owner")
  void supersedeOwner() {
    var owner = rivals.queues(TOKEN);
    var waits = rivals.queues(TOKEN);
    rivals.does(rivals.own(WORK, Duration.ZERO, TAKE));
    var other = rivals.runs(WAITS);
    rivals.does(rivals.create(other, Optional.of(TAKE)));
    rivals.passTurns();
    assertThat(status(owner)).isEqualTo(RunStatus.CANCELLED);
    assertThat(owner(TOKEN)).isEqualTo(other);
    assertThat(isWaiting(waits)).isTrue();
    rivals.cancels(other);
    rivals.passTurns();
    assertThat(owner(TOKEN)).isEqualTo(waits);
  }

  @Test
  @DisplayName(
      "given a free token whose first run waits for another one, when its last owner is"
          + " retried, then its end passes the turn")
  void markedByRetry() {
    var owner = rivals.queues(A);
    rivals.queues(B);
    rivals.fails(owner);
    rivals.passTurns();
    var first = rivals.queues(A, B);
    assertThat(rivals.owner(A)).isEmpty();
    rivals.does(rivals.retry(owner));
    rivals.completes(owner(B));
    rivals.passTurns();
    assertThat(isWaiting(first)).isTrue();
    rivals.completes(owner);
    rivals.passTurns();
    assertThat(owner(A)).isEqualTo(first);
  }

  @Test
  @DisplayName("given a run that waits, then it gets no other token, and takes signals")
  void waits() {
    rivals.queues(A);
    var waits = rivals.queues(A);
    assertThat(rivals.does(rivals.create(waits, Optional.of(TAKE))))
        .isEqualTo(new CreateHookOutcome.Blocked(rivals.run(waits)));
    var signal = Rivals.signal("s").to(waits, Rivals.BY);
    assertThat(rivals.does(signal)).isInstanceOf(SignalOutcome.Accepted.class);
    rivals.steers(waits, Verb.PAUSE);
    assertThat(isWaiting(waits)).isTrue();
  }

  @Test
  @DisplayName(
      "given a token that no run has owned, when the run that waited for it is gone, then"
          + " it is free, whatever its retention")
  void neverOwned() {
    rivals.queues(B);
    var waits =
        new StartRunWithHooks(
            rivals.start(WORK),
            Stream.of(A, B).map(id -> new Wanted(id, "", DAY, new Queue(1, false))).toList());
    queued(rivals.does(waits));
    assertThat(rivals.owner(A)).isEmpty();
    rivals.cancels(waits.start().run());
    assertThat(rivals.owner(A)).isEmpty();
    assertThat(
            rivals.does(
                new StartRunWithHooks(
                    rivals.start(WORK), List.of(new Wanted(A, "", DAY, new Reject())))))
        .isInstanceOf(StartOutcome.Created.class);
  }

  @Test
  @DisplayName("given a clock that goes back, then turns still rise")
  void clock() {
    rivals.queues(TOKEN);
    var second = rivals.queues(TOKEN);
    var third = rivals.later(DAY.negated()).queues(TOKEN);
    assertThat(rivals.waiting(TOKEN)).extracting(Line.Place::run).containsExactly(second, third);
    rivals.cancels(owner(TOKEN));
    rivals.passTurns();
    assertThat(((RunChange.Admitted) rivals.changes(second).get(2)).waited())
        .isEqualTo(Duration.ZERO);
  }

  @Test
  @DisplayName("given runs that end at once, then each is admitted, some in a decision")
  void endsAtOnce() {
    var past = Steps.definition(Steps.timer("past", Rivals.BEGINNING.minus(DAY)));
    var owner = rivals.queues(TOKEN);
    var waiting =
        IntStream.range(0, 25)
            .mapToObj(
                _ -> {
                  var start =
                      new StartRunWithHooks(
                          rivals.start(past),
                          List.of(new Wanted(TOKEN, "", DAY, new Queue(100, false))));
                  queued(rivals.does(start));
                  return start.start().run();
                })
            .toList();
    rivals.cancels(owner);
    var hint = new PassTurn(TOKEN, Optional.empty());
    var outcome = rivals.does(hint);
    assertThat(outcome.runs()).extracting(Run::id).isEqualTo(waiting.subList(0, 10));
    assertThat(outcome.isUnfinished()).isTrue();
    rivals.does(hint);
    assertThat(rivals.does(hint).isUnfinished()).isFalse();
    assertThat(waiting).allMatch(run -> status(run) == RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("given a mix of policies or a limit out of bounds, then there is no such command")
  void invalid() {
    var mixed =
        List.of(new Wanted(A, "", DAY, new Queue(1, false)), new Wanted(B, "", DAY, new Reject()));
    assertThatThrownBy(() -> new StartRunWithHooks(rivals.start(WORK), mixed))
        .isInstanceOf(IllegalArgumentException.class);
    for (var limit : List.of(0, -1, Queue.MAX_LIMIT + 1)) {
      assertThatThrownBy(() -> new Queue(limit, false))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new Queue(2, true)).isInstanceOf(IllegalArgumentException.class);
  }
}
