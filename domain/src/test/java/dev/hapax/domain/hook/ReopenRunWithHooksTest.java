package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.DAY;
import static dev.hapax.domain.hook.Rivals.TOKEN;
import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.hook.ConflictPolicy.Supersede;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReopenRunWithHooksTest {
  private static final HookId OTHER = Rivals.token("other");
  private static final Supersede TAKE = new Supersede(Optional.empty());

  private final Rivals rivals = new Rivals();

  private CreateHookOutcome create(RunId run, HookId hook, Duration retention) {
    return rivals.does(
        new CreateHook(
            run,
            Optional.empty(),
            hook,
            "name of " + hook.fingerprint().text(),
            retention,
            Optional.empty(),
            Rivals.BY));
  }

  private void requireRetried(RunId run) {
    assertThat(rivals.does(rivals.retry(run)))
        .isInstanceOfSatisfying(
            ReopenOutcome.Decided.class,
            decided -> assertThat(decided.outcome()).isInstanceOf(ControlOutcome.Applied.class));
    assertThat(rivals.run(run).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  @DisplayName("a retry takes back the tokens the run had when it failed, and no other [R7]")
  void takesBack() {
    var run = rivals.owner(WORK, Duration.ZERO);
    create(run, OTHER, DAY);
    var disposed = Rivals.token("disposed");
    create(run, disposed, DAY);
    rivals.does(new DisposeHook(disposed, Optional.empty(), "", Rivals.BY));
    rivals.fails(run);
    assertThat(rivals.owner(TOKEN)).isEmpty();
    rivals.later(DAY.multipliedBy(2));
    assertThat(rivals.owner(OTHER)).isEmpty();

    requireRetried(run);

    assertThat(rivals.owner(TOKEN)).contains(run);
    assertThat(rivals.owner(OTHER)).contains(run);
    assertThat(rivals.get(OTHER).orElseThrow().name())
        .isEqualTo("name of " + OTHER.fingerprint().text());
    assertThat(rivals.owner(disposed)).isEmpty();
    assertThat(rivals.does(Rivals.signalHook("s"))).isInstanceOf(SignalHookOutcome.Accepted.class);
  }

  @Test
  @DisplayName("given another run owns one of its tokens, then nothing changes [R7]")
  void conflict() {
    var run = rivals.owner(WORK, Duration.ZERO);
    create(run, OTHER, Duration.ZERO);
    rivals.fails(run);
    var next = rivals.owner(WORK, DAY);
    var before = rivals.records();
    assertThat(rivals.does(rivals.retry(run)))
        .isEqualTo(new ReopenOutcome.Conflict(TOKEN, rivals.run(next)));
    assertThat(rivals.records()).isEqualTo(before);
    rivals.completes(next);
    assertThat(rivals.does(rivals.retry(run)))
        .as("kept for the one that ended")
        .isEqualTo(new ReopenOutcome.Conflict(TOKEN, rivals.run(next)));
    rivals.later(DAY);
    requireRetried(run);
    assertThat(rivals.owner(TOKEN)).contains(run);
    assertThat(rivals.owner(OTHER)).contains(run);
  }

  @Test
  @DisplayName("given several tokens with several owners, then all owners are checked [R7]")
  void several() {
    var run = rivals.owner(WORK, Duration.ZERO);
    create(run, OTHER, Duration.ZERO);
    rivals.fails(run);
    var one = rivals.owner(WORK, Duration.ZERO);
    var two = rivals.runs(WORK);
    create(two, OTHER, Duration.ZERO);
    rivals.completes(one);
    assertThat(rivals.does(rivals.retry(run)))
        .isEqualTo(new ReopenOutcome.Conflict(OTHER, rivals.run(two)));
    rivals.completes(two);
    requireRetried(run);
    assertThat(rivals.owner(TOKEN)).contains(run);
    assertThat(rivals.owner(OTHER)).contains(run);
  }

  @Test
  @DisplayName(
      "a run whose kept token was taken does not get it back while that one lives " + "[R7, H7]")
  void superseded() {
    var run = rivals.owner(WORK, DAY);
    rivals.fails(run);
    rivals.does(rivals.own(WORK, Duration.ZERO, TAKE));
    var next = rivals.owner(TOKEN).orElseThrow();
    assertThat(rivals.does(rivals.retry(run)))
        .isEqualTo(new ReopenOutcome.Conflict(TOKEN, rivals.run(next)));
    rivals.cancels(next);
    requireRetried(run);
    assertThat(rivals.owner(TOKEN)).contains(run);
  }

  @Test
  @DisplayName("a token that was disposed after the failure is not taken back [R7]")
  void disposedSince() {
    var run = rivals.owner(WORK, DAY);
    rivals.fails(run);
    rivals.does(Rivals.dispose(Optional.empty()));
    requireRetried(run);
    assertThat(rivals.owner(TOKEN)).isEmpty();
  }

  @Test
  @DisplayName(
      "given the run changed since its tokens were read, then they are read again " + "[R7]")
  void moved() {
    var run = rivals.owner(WORK, Duration.ZERO);
    rivals.fails(run);
    var early = rivals.retry(run);
    requireRetried(run);
    assertThat(rivals.does(early))
        .as("it goes on already")
        .isEqualTo(new ReopenOutcome.Decided(new ControlOutcome.Applied(rivals.run(run), true)));
    rivals.fails(run);
    var before = rivals.records();
    assertThat(rivals.does(early)).isEqualTo(new ReopenOutcome.Outdated());
    assertThat(rivals.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("given the run cannot be retried, then its tokens stay [R7]")
  void notAllowed() {
    var run = rivals.owner(WORK, DAY);
    rivals.completes(run);
    var before = rivals.records();
    assertThat(rivals.does(rivals.retry(run)))
        .isEqualTo(new ReopenOutcome.Decided(new ControlOutcome.NotAllowed(rivals.run(run))));
    var failed = rivals.runs(WORK);
    rivals.fails(failed);
    var wrong =
        new RetryRun(failed, "r", "", OptionalLong.of(rivals.run(failed).version() - 1), Rivals.BY);
    assertThat(rivals.does(new ReopenRunWithHooks(wrong, rivals.run(failed).version(), List.of())))
        .isEqualTo(new ReopenOutcome.Decided(new ControlOutcome.Moved(rivals.run(failed))));
    assertThat(rivals.owner(TOKEN)).contains(run);
    assertThat(rivals.get(TOKEN)).isEqualTo(Optional.ofNullable((Hook) before.get(TOKEN)));
    assertThat(rivals.run(run)).isEqualTo(before.get(run));
  }

  @Test
  @DisplayName("a settlement takes back the tokens if the run continues, and has the same conflict")
  void settled() {
    var run = rivals.owner(WORK, Duration.ZERO);
    rivals.fails(run);
    var next = rivals.owner(WORK, Duration.ZERO);
    var complete = new RunChange.Verdict.Complete(Optional.empty(), Optional.empty());
    assertThat(rivals.does(rivals.settle(run, complete)))
        .isEqualTo(new ReopenOutcome.Conflict(TOKEN, rivals.run(next)));
    rivals.completes(next);
    rivals.does(rivals.settle(run, new RunChange.Verdict.Fail(Rivals.FAILURE)));
    assertThat(rivals.run(run).status()).isEqualTo(RunStatus.FAILED);
    assertThat(rivals.owner(TOKEN)).as("it has not been continued").isEmpty();
    rivals.does(rivals.settle(run, complete));
    assertThat(rivals.owner(TOKEN)).contains(run);
    rivals.fails(run);
    rivals.does(rivals.settle(run, complete));
    assertThat(rivals.run(run).status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(rivals.owner(TOKEN)).as("it has ended").isEmpty();
  }

  @Test
  @DisplayName("a token whose last owner is purged is free [R7]")
  void purged() {
    var run = rivals.owner(WORK, Duration.ZERO);
    rivals.fails(run);
    var next = rivals.owner(WORK, Duration.ZERO);
    rivals.completes(next);
    rivals.forget(next);
    requireRetried(run);
    assertThat(rivals.owner(TOKEN)).contains(run);
  }
}
