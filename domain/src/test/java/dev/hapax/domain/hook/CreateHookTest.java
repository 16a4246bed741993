package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.DAY;
import static dev.hapax.domain.hook.Rivals.TOKEN;
import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.ConflictPolicy.Supersede;
import dev.hapax.domain.run.AdvanceDueRun;
import dev.hapax.domain.run.Histories;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CreateHookTest {
  private static final Optional<Supersede> REJECT = Optional.empty();
  private static final Optional<Supersede> TAKE = Optional.of(new Supersede(Optional.empty()));

  private final Rivals rivals = new Rivals();

  private CreateHookOutcome create(RunId run, Optional<Supersede> supersede) {
    return rivals.does(rivals.create(run, supersede));
  }

  private CreateHookOutcome create(RunId run, TaskClaim claim) {
    return rivals.does(new CreateHook(run, Optional.of(claim), TOKEN, "", DAY, TAKE, Rivals.BY));
  }

  @Test
  @DisplayName(
      "given the run owns the token, when it requests it again, then nothing changes " + "[H2]")
  void own() {
    var run = rivals.runs(WORK);
    assertThat(create(run, REJECT)).isInstanceOf(CreateHookOutcome.Owned.class);
    var before = rivals.records();
    var again =
        new CreateHookOutcome.Owned(
            rivals.get(TOKEN).orElseThrow(), rivals.run(run), Optional.empty(), true);
    assertThat(create(run, REJECT)).isEqualTo(again);
    assertThat(create(run, TAKE)).isEqualTo(again);
    assertThat(rivals.records()).isEqualTo(before);
    assertThat(rivals.changes(run))
        .filteredOn(RunChange.HookCreated.class::isInstance)
        .containsExactly(
            new RunChange.HookCreated(TOKEN.hash(), "", Duration.ZERO, Optional.empty()));
  }

  @Test
  @DisplayName("a run that started with its token gets it again, too [H2]")
  void ownSinceTheStart() {
    var run = rivals.owner(WORK, DAY);
    assertThat(create(run, REJECT))
        .isEqualTo(
            new CreateHookOutcome.Owned(
                rivals.get(TOKEN).orElseThrow(), rivals.run(run), Optional.empty(), true));
  }

  @Test
  @DisplayName(
      "given another owner, alive or retained, then the outcome is a conflict with "
          + "that owner [H1]")
  void conflict() {
    var owner = rivals.owner(WORK, DAY);
    var run = rivals.runs(WORK);
    var before = rivals.records();
    assertThat(create(run, REJECT)).isEqualTo(new CreateHookOutcome.Conflict(rivals.run(owner)));
    assertThat(rivals.records()).isEqualTo(before);
    rivals.fails(owner);
    assertThat(create(run, REJECT)).isEqualTo(new CreateHookOutcome.Conflict(rivals.run(owner)));
    rivals.later(DAY);
    assertThat(create(run, REJECT)).isInstanceOf(CreateHookOutcome.Owned.class);
    assertThat(rivals.run(run).tokens().supersedes()).as("it was free").isEmpty();
  }

  @Test
  @DisplayName("every end of a run frees the token with the same write [H9]")
  void freed() {
    var run = rivals.runs(WORK);
    for (var end : List.<Consumer<RunId>>of(rivals::completes, rivals::fails, rivals::cancels)) {
      end.accept(run);
      assertThat(rivals.owner(TOKEN)).isEmpty();
      var next = rivals.runs(WORK);
      assertThat(create(next, REJECT)).isInstanceOf(CreateHookOutcome.Owned.class);
      assertThat(rivals.owner(TOKEN)).contains(next);
      run = next;
    }
  }

  @Test
  @DisplayName("a running run takes the token of another, which is cancelled with it [H7]")
  void supersede() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    var run = rivals.runs(WORK);
    var outcome = create(run, TAKE);
    assertThat(outcome)
        .isInstanceOfSatisfying(
            CreateHookOutcome.Owned.class,
            owned -> assertThat(owned.from().map(Run::id)).contains(owner));
    assertThat(rivals.run(owner).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(rivals.run(owner).tokens().supersededBy()).contains(run);
    assertThat(rivals.run(run).tokens().supersedes()).contains(owner);
    assertThat(rivals.owner(TOKEN)).contains(run);
  }

  @Test
  @DisplayName("a kept token is taken, too; its run stays as it ended [H7]")
  void supersedeEnded() {
    var owner = rivals.owner(WORK, DAY);
    rivals.completes(owner);
    var run = rivals.runs(WORK);
    assertThat(create(run, TAKE)).isInstanceOf(CreateHookOutcome.Owned.class);
    assertThat(rivals.run(owner).status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(rivals.changes(owner).getLast()).isEqualTo(new RunChange.Superseded(run, false));
    assertThat(rivals.owner(TOKEN)).contains(run);
  }

  @Test
  @DisplayName("expected_owner: only if it is still that run [H7]")
  void expected() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    var run = rivals.runs(WORK);
    var expecting = Optional.of(new Supersede(Optional.of(rivals.newRun())));
    assertThat(create(run, expecting)).isEqualTo(new CreateHookOutcome.Conflict(rivals.run(owner)));
    assertThat(create(run, Optional.of(new Supersede(Optional.of(owner)))))
        .isInstanceOf(CreateHookOutcome.Owned.class);
  }

  @Test
  @DisplayName("a step that is not held any more gets no token and takes none [R8]")
  void claimLost() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    var run = rivals.runs(WORK);
    var claim = rivals.take(run);
    rivals.later(Steps.LEASE.plusSeconds(1));
    rivals.does(new AdvanceDueRun(run));
    var before = rivals.records();
    assertThat(create(run, claim))
        .isEqualTo(new CreateHookOutcome.Lost(new TaskLost(claim, rivals.get(run))));
    var unknown = rivals.newRun();
    assertThat(create(unknown, claim)).isInstanceOf(CreateHookOutcome.Lost.class);
    assertThat(rivals.records()).isEqualTo(before);
    assertThat(rivals.owner(TOKEN)).contains(owner);
    assertThat(create(run, rivals.take(run))).isInstanceOf(CreateHookOutcome.Owned.class);
  }

  @Test
  @DisplayName("given a superseded run, then its step cannot take the token back [R8]")
  void claimSuperseded() {
    var first = rivals.owner(WORK, Duration.ZERO);
    var claim = rivals.take(first);
    var second = rivals.runs(WORK);
    create(second, TAKE);
    assertThat(create(first, claim))
        .isInstanceOfSatisfying(
            CreateHookOutcome.Lost.class,
            lost -> assertThat(lost.lost().reason()).isEqualTo(TaskLost.Reason.SUPERSEDED));
    assertThat(rivals.owner(TOKEN)).contains(second);
  }

  @Test
  @DisplayName("given a missing or ended run, then it gets no token, not even its own [H8]")
  void noRun() {
    assertThat(create(rivals.newRun(), TAKE)).isEqualTo(new CreateHookOutcome.NotFound());
    var ended = rivals.owner(WORK, DAY);
    rivals.completes(ended);
    assertThat(create(ended, TAKE)).isEqualTo(new CreateHookOutcome.RunEnded(rivals.run(ended)));
  }

  @Test
  @DisplayName("a full history takes no more tokens; the owner keeps its own")
  void full() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    var run = rivals.run(rivals.runs(WORK));
    // no history to fold: a batch that changes nothing is not checked against it
    rivals.put(run.id(), Histories.at(run, Run.MAX_EVENTS));
    var before = rivals.records();
    assertThat(create(run.id(), TAKE)).isEqualTo(new CreateHookOutcome.Full());
    assertThat(rivals.records()).isEqualTo(before);
    assertThat(rivals.owner(TOKEN)).contains(owner);
  }

  @Test
  @DisplayName("several tokens of one run are its own, each taken alone")
  void several() {
    var run = rivals.owner(WORK, Duration.ZERO);
    var other = Rivals.token("other");
    var wish = new CreateHook(run, Optional.empty(), other, "", DAY, REJECT, Rivals.BY);
    assertThat(rivals.does(wish)).isInstanceOf(CreateHookOutcome.Owned.class);
    assertThat(rivals.owner(TOKEN)).contains(run);
    assertThat(rivals.owner(other)).contains(run);
    assertThat(rivals.run(run).tokens().retention()).as("the longest").isEqualTo(DAY);
    rivals.does(Rivals.dispose(Optional.empty()));
    assertThat(rivals.owner(TOKEN)).isEmpty();
    assertThat(rivals.owner(other)).contains(run);
  }

  @Test
  @DisplayName("a run that takes two tokens names the last of whom it took one [H7]")
  void lastOfTwo() {
    var first = rivals.owner(WORK, Duration.ZERO);
    var run = rivals.runs(WORK);
    create(run, TAKE);
    assertThat(rivals.run(run).tokens().supersedes()).contains(first);
    rivals.does(Rivals.dispose(Optional.empty()));
    var second = rivals.owner(WORK, Duration.ZERO);
    create(run, TAKE);
    assertThat(rivals.run(run).tokens().supersedes()).contains(second);
  }

  @Test
  @DisplayName("a retention out of range is refused")
  void retention() {
    assertThatThrownBy(
            () ->
                new CreateHook(
                    rivals.newRun(),
                    Optional.empty(),
                    TOKEN,
                    "",
                    Hook.MAX_RETENTION.plusNanos(1),
                    REJECT,
                    Rivals.BY))
        .isInstanceOf(InvalidValueException.class);
  }
}
