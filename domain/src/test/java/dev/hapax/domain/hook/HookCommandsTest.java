package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.DAY;
import static dev.hapax.domain.hook.Rivals.TOKEN;
import static dev.hapax.domain.hook.Rivals.WAITS;
import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.SourceHook;
import dev.hapax.domain.hook.ConflictPolicy.Reject;
import dev.hapax.domain.hook.ConflictPolicy.SignalExisting;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Resuming and disposing by token. */
class HookCommandsTest {
  private final Rivals rivals = new Rivals();

  private List<Class<?>> tale(RunId run) {
    return rivals.changes(run).stream().<Class<?>>map(RunChange::getClass).toList();
  }

  @Test
  @DisplayName(
      "a waiting owner gets the signal at once, another one from its inbox; each " + "once [H6]")
  void signal() {
    var waiting = rivals.owner(WAITS, Duration.ZERO);
    assertThat(rivals.does(Rivals.signalHook("one")))
        .isEqualTo(new SignalHookOutcome.Accepted(withNews(waiting), SignalDisposition.DELIVERED));
    assertThat(rivals.run(waiting).status()).isEqualTo(RunStatus.COMPLETED);

    var working = rivals.owner(WORK, Duration.ZERO);
    assertThat(rivals.does(Rivals.signalHook("one")))
        .as("signals are the owner's, not the token's")
        .isEqualTo(new SignalHookOutcome.Accepted(withNews(working), SignalDisposition.BUFFERED));
    var before = rivals.records();
    assertThat(rivals.does(Rivals.signalHook("one")))
        .isEqualTo(
            new SignalHookOutcome.Accepted(rivals.run(working), SignalDisposition.DUPLICATE));
    assertThat(rivals.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("a signal records the token through which it arrived, and the token's name")
  void source() {
    var start = Rivals.with(rivals.start(WORK), Rivals.signal("first"));
    rivals.does(
        new StartRunWithHooks(
            start,
            List.of(new StartRunWithHooks.Wanted(TOKEN, "payment", Duration.ZERO, new Reject()))));
    rivals.does(Rivals.signalHook("second"));
    var again = Rivals.with(rivals.start(WORK), Rivals.signal("third"));
    rivals.does(
        new StartRunWithHooks(
            again,
            List.of(
                new StartRunWithHooks.Wanted(TOKEN, "mine", Duration.ZERO, new SignalExisting()))));
    rivals.does(Rivals.signal("fourth").to(start.run(), Rivals.BY));

    var payment = Optional.of(new SourceHook(TOKEN.hash(), "payment"));
    assertThat(
            rivals.changes(start.run()).stream()
                .filter(RunChange.SignalReceived.class::isInstance)
                .map(change -> ((RunChange.SignalReceived) change).hook()))
        .containsExactly(payment, payment, payment, Optional.empty());
    assertThat(rivals.get(new SignalId(start.run(), "third")).orElseThrow().hook())
        .as("the name of the owner's hook")
        .isEqualTo(payment);
  }

  /** The run with what the last command made of it. */
  private Run withNews(RunId run) {
    var history = rivals.history(run);
    var last =
        history.stream()
            .filter(event -> event.change() instanceof RunChange.SignalReceived)
            .reduce((_, newer) -> newer)
            .orElseThrow();
    return rivals.run(run).with(history.subList((int) last.version() - 1, history.size()));
  }

  @Test
  @DisplayName("signals of one batch arrive in order, each once, also behind a pause [H6]")
  void order() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    rivals.take(owner);
    rivals.steers(owner, Verb.PAUSE);
    var ids = List.of("c", "a", "b", "a", "d");
    rivals.doAll(ids.stream().map(Rivals::signalHook).toList());
    assertThat(rivals.changes(owner))
        .filteredOn(RunChange.SignalReceived.class::isInstance)
        .extracting(change -> ((RunChange.SignalReceived) change).signalId())
        .containsExactly("c", "a", "b", "d");
  }

  @Test
  @DisplayName(
      "given an unknown, disposed, ended, retained or purged owner, then a signal is "
          + "not accepted [H8]")
  void withoutOwner() {
    assertNoOwner();
    var disposed = rivals.owner(WORK, DAY);
    rivals.does(Rivals.dispose(Optional.empty()));
    assertNoOwner();
    rivals.completes(disposed);
    rivals.completes(rivals.owner(WORK, Duration.ZERO));
    assertNoOwner();
    var kept = rivals.owner(WORK, DAY);
    rivals.fails(kept);
    assertThat(rivals.owner(TOKEN)).contains(kept);
    assertNoOwner();
    rivals.later(DAY);
    assertNoOwner();
    rivals.forget(kept);
    assertNoOwner();
  }

  private void assertNoOwner() {
    var before = rivals.records();
    assertThat(rivals.does(Rivals.signalHook("s"))).isEqualTo(new SignalHookOutcome.NotFound());
    assertThat(rivals.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("given a full inbox, then the outcome says so [H8]")
  void full() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    for (var i = 0; i < Inbox.MAX_UNCONSUMED; i++) {
      rivals.does(Rivals.signalHook("s" + i));
    }
    assertThat(rivals.does(Rivals.signalHook("more")))
        .isEqualTo(new SignalHookOutcome.Full(rivals.run(owner), new SignalOutcome.Full(true)));
  }

  @Test
  @DisplayName(
      "a disposed token is free at once, receives no signals, and can be acquired "
          + "again [H9, H12]")
  void dispose() {
    var owner = rivals.owner(WORK, DAY);
    rivals.does(Rivals.signalHook("before"));
    var outcome = rivals.does(Rivals.dispose(Optional.of(owner)));
    assertThat(outcome).isInstanceOf(DisposeHookOutcome.Disposed.class);
    assertThat(rivals.owner(TOKEN)).isEmpty();
    assertNoOwner();
    assertThat(rivals.run(owner).status()).as("the run goes on").isEqualTo(RunStatus.PENDING);
    assertThat(tale(owner))
        .containsExactly(
            RunChange.Created.class,
            RunChange.HookCreated.class,
            RunChange.SignalReceived.class,
            RunChange.HookDisposed.class);
    assertThat(rivals.does(rivals.create(owner, Optional.empty())))
        .isInstanceOf(CreateHookOutcome.Owned.class);
    assertThat(rivals.owner(TOKEN)).contains(owner);
    assertThat(rivals.does(Rivals.signalHook("after")))
        .isInstanceOf(SignalHookOutcome.Accepted.class);
    assertThat(rivals.batches()).isEqualTo(2);
    var known = rivals.owner(TOKEN).orElseThrow();
    rivals.does(Rivals.signalHook("expected").expecting(known));
    assertThat(rivals.batches()).as("a likely owner saves a batch").isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given signal, dispose, signal in one batch, then the second signal finds no "
          + "owner [H12]")
  void disposeBetween() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    var outcomes =
        rivals.<Object>doAll(
            List.of(
                Rivals.signalHook("one").expecting(owner),
                Rivals.dispose(Optional.empty()),
                Rivals.signalHook("two").expecting(owner)));
    assertThat(outcomes.getFirst()).isInstanceOf(SignalHookOutcome.Accepted.class);
    assertThat(outcomes.get(1)).isInstanceOf(DisposeHookOutcome.Disposed.class);
    assertThat(outcomes.getLast()).isEqualTo(new SignalHookOutcome.NotFound());
  }

  @Test
  @DisplayName("a repeated disposal changes nothing, and keeps a token acquired since [H9]")
  void twice() {
    var owner = rivals.owner(WORK, DAY);
    rivals.does(Rivals.dispose(Optional.empty()));
    var before = rivals.records();
    assertThat(rivals.does(Rivals.dispose(Optional.of(owner))))
        .isEqualTo(
            new DisposeHookOutcome.Disposed(
                rivals.get(TOKEN).orElseThrow(), rivals.run(owner), true));
    assertThat(rivals.does(Rivals.dispose(Optional.empty())))
        .isInstanceOf(DisposeHookOutcome.Disposed.class);
    assertThat(rivals.does(Rivals.dispose(Optional.of(rivals.newRun()))))
        .isEqualTo(new DisposeHookOutcome.NotFound());
    assertThat(rivals.records()).isEqualTo(before);

    var next = rivals.owner(WORK, Duration.ZERO);
    assertThat(rivals.does(Rivals.dispose(Optional.of(owner))))
        .isEqualTo(new DisposeHookOutcome.Conflict(rivals.run(next)));
    assertThat(rivals.owner(TOKEN)).contains(next);
  }

  @Test
  @DisplayName("a kept token of an ended run can be disposed, a free one is not found [H11]")
  void disposeOfEnded() {
    assertThat(rivals.does(Rivals.dispose(Optional.empty())))
        .isEqualTo(new DisposeHookOutcome.NotFound());
    var kept = rivals.owner(WORK, DAY);
    rivals.completes(kept);
    assertThat(rivals.owner(TOKEN)).contains(kept);
    assertThat(rivals.does(Rivals.dispose(Optional.empty())))
        .isInstanceOf(DisposeHookOutcome.Disposed.class);
    assertThat(rivals.owner(TOKEN)).isEmpty();
    assertThat(rivals.run(kept).status()).isEqualTo(RunStatus.COMPLETED);

    rivals.completes(rivals.owner(WORK, Duration.ZERO));
    assertThat(rivals.does(Rivals.dispose(Optional.empty())))
        .isEqualTo(new DisposeHookOutcome.NotFound());
  }

  @Test
  @DisplayName("a kept token answers up to the last instant of its retention [H11]")
  void retention() {
    var kept = rivals.owner(WORK, DAY);
    rivals.later(Duration.ofDays(400));
    rivals.completes(kept);
    rivals.later(DAY.minusNanos(1));
    assertThat(rivals.owner(TOKEN)).contains(kept);
    rivals.later(Duration.ofNanos(1));
    assertThat(rivals.owner(TOKEN)).isEmpty();
  }
}
