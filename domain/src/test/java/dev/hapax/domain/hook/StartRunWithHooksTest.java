package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.DAY;
import static dev.hapax.domain.hook.Rivals.KEY;
import static dev.hapax.domain.hook.Rivals.TOKEN;
import static dev.hapax.domain.hook.Rivals.WAITS;
import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.ConflictPolicy.Queue;
import dev.hapax.domain.hook.ConflictPolicy.Reject;
import dev.hapax.domain.hook.ConflictPolicy.SignalExisting;
import dev.hapax.domain.hook.ConflictPolicy.Supersede;
import dev.hapax.domain.hook.ConflictPolicy.UseExisting;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class StartRunWithHooksTest {
  private static final Supersede TAKE = new Supersede(Optional.empty());
  private static final List<ConflictPolicy> POLICIES =
      List.of(new Reject(), new UseExisting(), new SignalExisting(), TAKE, new Queue(1, false));

  private final Rivals rivals = new Rivals();

  /** The states of the former owner. */
  private enum Before {
    ABSENT,
    PENDING,
    RUNNING,
    WAITING,
    PAUSED,
    COMPLETED,
    FAILED,
    CANCELLED,
    COMPLETED_KEPT,
    FAILED_KEPT,
    CANCELLED_KEPT,
    COMPLETED_LONG_AGO,
    DISPOSED,
    DISPOSED_AFTER_ITS_END,
    PURGED;

    boolean lives() {
      return switch (this) {
        case PENDING, RUNNING, WAITING, PAUSED -> true;
        default -> false;
      };
    }

    boolean isKept() {
      return switch (this) {
        case COMPLETED_KEPT, FAILED_KEPT, CANCELLED_KEPT -> true;
        default -> false;
      };
    }

    void make(Rivals rivals) {
      switch (this) {
        case ABSENT -> {}
        case PENDING -> rivals.owner(WORK, Duration.ZERO);
        case RUNNING -> rivals.take(rivals.owner(WORK, Duration.ZERO));
        case WAITING -> rivals.owner(WAITS, Duration.ZERO);
        case PAUSED -> rivals.steers(rivals.owner(WAITS, Duration.ZERO), Verb.PAUSE);
        case COMPLETED -> rivals.completes(rivals.owner(WORK, Duration.ZERO));
        case FAILED -> rivals.fails(rivals.owner(WORK, Duration.ZERO));
        case CANCELLED -> rivals.cancels(rivals.owner(WORK, Duration.ZERO));
        case COMPLETED_KEPT -> rivals.completes(rivals.owner(WORK, DAY));
        case FAILED_KEPT -> rivals.fails(rivals.owner(WORK, DAY));
        case CANCELLED_KEPT -> rivals.cancels(rivals.owner(WORK, DAY));
        case COMPLETED_LONG_AGO -> {
          rivals.completes(rivals.owner(WORK, DAY));
          rivals.later(DAY);
        }
        case DISPOSED -> {
          rivals.owner(WORK, DAY);
          rivals.does(Rivals.dispose(Optional.empty()));
        }
        case DISPOSED_AFTER_ITS_END -> {
          rivals.completes(rivals.owner(WORK, DAY));
          rivals.does(Rivals.dispose(Optional.empty()));
        }
        case PURGED -> {
          var run = rivals.owner(WORK, Duration.ZERO);
          rivals.completes(run);
          rivals.forget(run);
        }
      }
    }
  }

  @TestFactory
  @DisplayName("every policy in every state of the owner [H3, H4, H5, H6, H7, H11]")
  Stream<DynamicTest> everyPolicyAndOwner() {
    return Stream.of(Before.values())
        .flatMap(
            before ->
                POLICIES.stream()
                    .map(
                        policy ->
                            DynamicTest.dynamicTest(
                                before + " × " + policy, () -> meet(before, policy))));
  }

  private static void meet(Before before, ConflictPolicy policy) {
    var rivals = new Rivals();
    before.make(rivals);
    var owner = rivals.owner(TOKEN);
    assertThat(owner.isPresent()).isEqualTo(before.lives() || before.isKept());
    var was = owner.map(rivals::run);
    var records = rivals.records();
    var start = Rivals.with(rivals.start(WORK), Rivals.signal("s"));

    var outcome =
        rivals.does(
            new StartRunWithHooks(
                start, List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, policy))));

    if (was.isEmpty() || (policy instanceof Queue && before.isKept())) {
      assertThat(outcome).isInstanceOf(StartOutcome.Created.class);
      requireOwner(rivals, start.run());
      return;
    }
    var run = was.get();
    switch (policy) {
      case Reject() -> {
        assertThat(outcome).isEqualTo(new StartOutcome.Rejected(run));
        assertThat(rivals.records()).isEqualTo(records);
      }
      case UseExisting() -> {
        assertThat(outcome).isEqualTo(new StartOutcome.UsedExisting(run));
        assertThat(rivals.records()).isEqualTo(records);
      }
      case SignalExisting() when before.isKept() -> {
        assertThat(outcome).isEqualTo(new StartOutcome.Rejected(run));
        assertThat(rivals.records()).isEqualTo(records);
      }
      case SignalExisting() -> {
        assertThat(outcome).isInstanceOf(StartOutcome.Signalled.class);
        assertThat(rivals.changes(run.id()))
            .contains(
                new RunChange.SignalReceived(
                    "s", "go", Optional.of(Rivals.SOURCE), Rivals.signal("s").payload()));
        assertThat(rivals.get(start.run())).isEmpty();
      }
      case Queue _ -> {
        assertThat(outcome).isInstanceOf(StartOutcome.Queued.class);
        assertThat(rivals.owner(TOKEN)).contains(run.id());
        assertThat(rivals.waiting(TOKEN)).extracting(Line.Place::run).containsExactly(start.run());
      }
      case Supersede _ -> {
        assertThat(outcome).isInstanceOf(StartOutcome.Superseded.class);
        requireOwner(rivals, start.run());
        var left = rivals.run(run.id());
        assertThat(left.status()).isEqualTo(before.isKept() ? run.status() : RunStatus.CANCELLED);
        assertThat(left.endedAt()).contains(run.endedAt().orElse(rivals.now()));
        assertThat(left.due()).as("its timers and retries are dead").isEmpty();
        assertThat(left.tokens().supersededBy()).contains(start.run());
        assertThat(rivals.run(start.run()).tokens().supersedes()).contains(run.id());
        assertThat(((StartOutcome.Superseded) outcome).from())
            .extracting(Run::id)
            .containsExactly(run.id());
      }
    }
  }

  /** H10: the run, its token and its first signal are there together. */
  private static void requireOwner(Rivals rivals, RunId run) {
    assertThat(rivals.owner(TOKEN)).contains(run);
    assertThat(rivals.changes(run))
        .extracting(change -> (Object) change.getClass())
        .containsExactly(
            RunChange.Created.class, RunChange.HookCreated.class, RunChange.SignalReceived.class);
    assertThat(rivals.get(new SignalId(run, "s"))).isPresent();
  }

  @Test
  @DisplayName(
      "the signal that comes with the start is there before the first step waits for " + "it [H10]")
  void signalFirst() {
    var start = Rivals.with(rivals.start(WAITS), Rivals.signal("s"));
    rivals.does(
        new StartRunWithHooks(
            start, List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, new Reject()))));
    assertThat(rivals.changes(start.run()))
        .extracting(change -> (Object) change.getClass())
        .startsWith(
            RunChange.Created.class, RunChange.HookCreated.class, RunChange.SignalReceived.class)
        .contains(RunChange.StepSuspended.class);
    assertThat(rivals.run(start.run()).due()).as("it checks its inbox at once").isPresent();
  }

  @Test
  @DisplayName("SIGNAL_EXISTING sends once for each signal id [H6]")
  void signalDedup() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    for (var i = 0; i < 3; i++) {
      for (var id : List.of("one", "two")) {
        var start = Rivals.with(rivals.start(WORK), Rivals.signal(id));
        var outcome =
            rivals.does(
                new StartRunWithHooks(
                    start,
                    List.of(
                        new StartRunWithHooks.Wanted(
                            TOKEN, "", Duration.ZERO, new SignalExisting()))));
        assertThat(outcome)
            .isInstanceOfSatisfying(
                StartOutcome.Signalled.class,
                signalled -> assertThat(signalled.owner().id()).isEqualTo(owner));
        assertThat(rivals.batches()).as("owner and signal are locked together").isEqualTo(2);
      }
    }
    assertThat(signals(owner)).containsExactly("one", "two");
  }

  private List<String> signals(RunId run) {
    return rivals.changes(run).stream()
        .filter(RunChange.SignalReceived.class::isInstance)
        .map(change -> ((RunChange.SignalReceived) change).signalId())
        .toList();
  }

  private static StartRunWithHooks.Wanted wanted(HookId token, ConflictPolicy policy) {
    return new StartRunWithHooks.Wanted(token, "", Duration.ZERO, policy);
  }

  @Test
  @DisplayName("of several tokens the first with an owner that is not superseded decides")
  void severalTokens() {
    var second = Rivals.token("second");
    var third = Rivals.token("third");
    var any = new Supersede(Optional.empty());
    var free = rivals.start(WORK);
    assertThat(
            rivals.does(
                new StartRunWithHooks(
                    free, List.of(wanted(second, new Reject()), wanted(third, new Reject())))))
        .isInstanceOf(StartOutcome.Created.class);
    assertThat(rivals.owner(second)).contains(free.run());
    assertThat(rivals.owner(third)).contains(free.run());
    var owner = rivals.owner(WORK, Duration.ZERO);
    var before = rivals.records();

    assertThat(
            rivals.does(
                new StartRunWithHooks(
                    rivals.start(WORK),
                    List.of(
                        wanted(TOKEN, any),
                        wanted(second, new Reject()),
                        wanted(third, new UseExisting())))))
        .isEqualTo(new StartOutcome.Rejected(rivals.run(free.run())));
    assertThat(rivals.records()).as("no run was superseded").isEqualTo(before);

    var all = rivals.start(WORK);
    var outcome =
        rivals.does(
            new StartRunWithHooks(
                all, List.of(wanted(second, any), wanted(third, any), wanted(TOKEN, any))));
    assertThat(((StartOutcome.Superseded) outcome).from())
        .as("a run that owned two of them is superseded once")
        .extracting(Run::id)
        .containsExactly(free.run(), owner);
    for (var token : List.of(TOKEN, second, third)) {
      assertThat(rivals.owner(token)).contains(all.run());
    }
    assertThat(
            rivals.changes(all.run()).stream()
                .filter(RunChange.HookCreated.class::isInstance)
                .map(change -> ((RunChange.HookCreated) change).from()))
        .containsExactly(Optional.of(free.run()), Optional.empty(), Optional.of(owner));
  }

  @Test
  @DisplayName(
      "100 starts or signals in one batch: one run, and its inbox has 100 signals " + "[H6]")
  void startOrSignal() {
    var outcomes =
        rivals.doAll(
            IntStream.range(0, 100)
                .mapToObj(
                    i ->
                        new StartRunWithHooks(
                            Rivals.with(rivals.start(WORK), Rivals.signal("s" + i)),
                            List.of(
                                new StartRunWithHooks.Wanted(
                                    TOKEN, "", Duration.ZERO, new SignalExisting()))))
                .toList());
    assertThat(outcomes).filteredOn(StartOutcome.Created.class::isInstance).hasSize(1);
    assertThat(outcomes).filteredOn(StartOutcome.Signalled.class::isInstance).hasSize(99);
    assertThat(rivals.runs()).hasSize(1);
    assertThat(signals(rivals.owner(TOKEN).orElseThrow())).hasSize(100).doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("an owner whose inbox is full refuses the signal, and nothing is started [H6]")
  void fullInbox() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    for (var i = 0; i < Inbox.MAX_UNCONSUMED; i++) {
      assertThat(rivals.does(Rivals.signalHook("s" + i)))
          .isInstanceOf(SignalHookOutcome.Accepted.class);
    }
    var before = rivals.records();
    var start = Rivals.with(rivals.start(WORK), Rivals.signal("more"));
    var keyed = Rivals.keyed(start, KEY, 1, DAY);
    assertThat(
            rivals.does(
                new StartRunWithHooks(
                    keyed,
                    List.of(
                        new StartRunWithHooks.Wanted(
                            TOKEN, "", Duration.ZERO, new SignalExisting())))))
        .isEqualTo(new StartOutcome.SignalRefused(rivals.run(owner), new SignalOutcome.Full(true)));
    assertThat(rivals.records()).isEqualTo(before);
    // one that it has is no more
    var again = Rivals.with(rivals.start(WORK), Rivals.signal("s7"));
    assertThat(
            rivals.does(
                new StartRunWithHooks(
                    again,
                    List.of(
                        new StartRunWithHooks.Wanted(
                            TOKEN, "", Duration.ZERO, new SignalExisting())))))
        .isEqualTo(new StartOutcome.Signalled(rivals.run(owner), SignalDisposition.DUPLICATE));
  }

  @Test
  @DisplayName("given an unexpected owner, alive or ended, then the token stays [H7]")
  void expectedOwner() {
    var first = rivals.owner(WORK, DAY);
    var expecting = new Supersede(Optional.of(first));
    var second = rivals.does(rivals.own(WORK, DAY, expecting));
    assertThat(second).isInstanceOf(StartOutcome.Superseded.class);
    var before = rivals.records();
    var owner = rivals.owner(TOKEN).orElseThrow();
    assertThat(rivals.does(rivals.own(WORK, DAY, expecting)))
        .isEqualTo(new StartOutcome.Rejected(rivals.run(owner)));
    assertThat(rivals.records()).isEqualTo(before);
    rivals.completes(owner);
    assertThat(rivals.does(rivals.own(WORK, DAY, expecting)))
        .isEqualTo(new StartOutcome.Rejected(rivals.run(owner)));
    rivals.later(DAY);
    // there is no owner to keep
    assertThat(rivals.does(rivals.own(WORK, DAY, expecting)))
        .isInstanceOf(StartOutcome.Created.class);
  }

  @Test
  @DisplayName("given a superseded run, then its next call says so [H7]")
  void lost() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    var claim = rivals.take(owner);
    rivals.does(rivals.own(WORK, Duration.ZERO, TAKE));
    var before = rivals.records();
    assertThat(rivals.does(Rivals.complete(claim)))
        .isInstanceOfSatisfying(
            TaskLost.class,
            lost -> assertThat(lost.reason()).isEqualTo(TaskLost.Reason.SUPERSEDED));
    assertThat(rivals.records()).isEqualTo(before);
  }

  @Test
  @DisplayName(
      "given a cancelled run loses its token later, then its calls say superseded "
          + "from then on [H7]")
  void lostBefore() {
    var owner = rivals.owner(WORK, DAY);
    var claim = rivals.take(owner);
    rivals.cancels(owner);
    assertThat(reason(claim)).isEqualTo(TaskLost.Reason.RUN_CANCELLED);
    rivals.does(rivals.own(WORK, Duration.ZERO, TAKE));
    assertThat(reason(claim)).isEqualTo(TaskLost.Reason.SUPERSEDED);
  }

  private TaskLost.Reason reason(TaskClaim claim) {
    return ((TaskLost) rivals.does(Rivals.complete(claim))).reason();
  }

  // keys

  private StartOutcome sends(int request, Duration memory, ConflictPolicy policy) {
    var start = Rivals.with(rivals.start(WORK), Rivals.signal("s"));
    return rivals.does(
        new StartRunWithHooks(
            Rivals.keyed(start, KEY, request, memory),
            List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, policy))));
  }

  @Test
  @DisplayName("a rejected start leaves its key unused, so it may be retried [H3]")
  void rejectedKey() {
    var owner = rivals.owner(WORK, Duration.ZERO);
    assertThat(sends(1, DAY, new Reject())).isInstanceOf(StartOutcome.Rejected.class);
    assertThat(rivals.get(KEY)).isEmpty();
    rivals.completes(owner);
    assertThat(sends(1, DAY, new Reject())).isInstanceOf(StartOutcome.Created.class);
    var made = rivals.owner(TOKEN).orElseThrow();
    assertThat(rivals.get(KEY).orElseThrow().run()).isEqualTo(made);
    assertThat(sends(1, DAY, new Reject())).isEqualTo(new StartOutcome.Existing(made));
  }

  @Test
  @DisplayName(
      "the key belongs to the owner that answered the request, which is kept as long " + "[H4, H6]")
  void boundToOwner() {
    for (var policy : List.of(new UseExisting(), new SignalExisting())) {
      var rivals = new Rivals();
      var owner = rivals.owner(WORK, Duration.ZERO);
      var start = Rivals.with(rivals.start(WORK), Rivals.signal("s"));
      var keyed = Rivals.keyed(start, KEY, 1, DAY);
      rivals.does(
          new StartRunWithHooks(
              keyed, List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, policy))));
      assertThat(rivals.get(KEY).orElseThrow().run()).isEqualTo(owner);
      assertThat(rivals.run(owner).origin().rememberedUntil()).isEqualTo(rivals.now().plus(DAY));
      // the same request again, after the owner and its token are gone
      rivals.completes(owner);
      var again = Rivals.keyed(rivals.start(WORK), KEY, 1, DAY);
      assertThat(
              rivals.does(
                  new StartRunWithHooks(
                      again,
                      List.of(
                          new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, new Reject())))))
          .isEqualTo(new StartOutcome.Existing(owner));
      var other = Rivals.keyed(rivals.start(WORK), KEY, 2, DAY);
      assertThat(
              rivals.does(
                  new StartRunWithHooks(
                      other,
                      List.of(
                          new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, new Reject())))))
          .isEqualTo(new StartOutcome.KeyReused(owner, Fingerprint.of(new byte[] {1})));
    }
  }

  @Test
  @DisplayName(
      "the key is checked first, so a repeated supersede takes nothing from its own " + "run [H7]")
  void keyFirst() {
    var first = rivals.owner(WORK, Duration.ZERO);
    sends(1, DAY, TAKE);
    var second = rivals.owner(TOKEN).orElseThrow();
    assertThat(second).isNotEqualTo(first);
    var before = rivals.records();
    assertThat(sends(1, DAY, TAKE)).isEqualTo(new StartOutcome.Existing(second));
    assertThat(sends(2, DAY, TAKE))
        .isEqualTo(new StartOutcome.KeyReused(second, Fingerprint.of(new byte[] {1})));
    assertThat(rivals.records()).isEqualTo(before);
    assertThat(sends(1, DAY, new SignalExisting())).isEqualTo(new StartOutcome.Existing(second));
    assertThat(signals(second)).containsExactly("s");
  }

  @Test
  @DisplayName(
      "given an expired key and a token of different runs, then the start is decided without a loop")
  void keyAndTokenOfDifferentRuns() {
    for (var policy : POLICIES) {
      var rivals = new Rivals();
      var keyed = Rivals.keyed(rivals.start(WORK), KEY, 1, Duration.ZERO);
      rivals.does(
          new StartRunWithHooks(
              keyed,
              List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, new Reject()))));
      rivals.completes(keyed.run());
      var owner = rivals.owner(WORK, Duration.ZERO);
      var start = Rivals.with(rivals.start(WORK), Rivals.signal("s"));
      var outcome =
          rivals.does(
              new StartRunWithHooks(
                  Rivals.keyed(start, KEY, 1, DAY),
                  List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, policy))));
      assertThat(outcome.getClass())
          .isEqualTo(
              switch (policy) {
                case Reject _ -> StartOutcome.Rejected.class;
                case UseExisting _ -> StartOutcome.UsedExisting.class;
                case SignalExisting _ -> StartOutcome.Signalled.class;
                case Supersede _ -> StartOutcome.Superseded.class;
                case Queue _ -> StartOutcome.Queued.class;
              });
      var bound = rivals.get(KEY).orElseThrow().run();
      assertThat(bound)
          .isEqualTo(
              switch (policy) {
                case Reject _ -> keyed.run();
                case UseExisting _, SignalExisting _ -> owner;
                case Supersede _, Queue _ -> start.run();
              });
    }
  }

  @Test
  @DisplayName("a purged run frees its key and its token, whichever is forgotten first")
  void purged() {
    var keyed = Rivals.keyed(rivals.start(WORK), KEY, 1, Duration.ZERO);
    rivals.does(
        new StartRunWithHooks(
            keyed, List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, new Reject()))));
    rivals.completes(keyed.run());
    rivals.forget(keyed.run());
    var owner = rivals.does(rivals.own(WORK, Duration.ZERO, new Reject()));
    assertThat(owner).isInstanceOf(StartOutcome.Created.class);
    // the key is free, the token has an owner
    assertThat(sends(2, DAY, TAKE)).isInstanceOf(StartOutcome.Superseded.class);
  }

  // many

  @Test
  @DisplayName(
      "given 200 supersedes, batched or not, then one live run and an unbroken chain " + "[H7]")
  void chain() {
    for (var inOneBatch : List.of(true, false)) {
      var rivals = new Rivals();
      var starts =
          IntStream.range(0, 200).mapToObj(_ -> rivals.own(WORK, Duration.ZERO, TAKE)).toList();
      if (inOneBatch) {
        rivals.doAll(starts);
      } else {
        for (var start : starts) {
          rivals.does(start);
          assertThat(rivals.owner(TOKEN)).contains(start.start().run());
        }
      }
      assertThat(rivals.runs()).hasSize(200);
      assertThat(chainTo(rivals, rivals.owner(TOKEN).orElseThrow()))
          .extracting(Run::status)
          .hasSize(200)
          .startsWith(RunStatus.PENDING)
          .areExactly(199, new Condition<>(RunStatus.CANCELLED::equals, "cancelled"));
    }
  }

  /** From the last to the first. */
  private static List<Run> chainTo(Rivals rivals, RunId last) {
    var chain = new ArrayList<Run>();
    var next = Optional.<RunId>empty();
    for (var at = Optional.of(last); at.isPresent(); ) {
      var run = rivals.run(at.get());
      assertThat(run.tokens().supersededBy()).as("no gap").isEqualTo(next);
      chain.add(run);
      next = at;
      at = run.tokens().supersedes();
    }
    return chain;
  }

  @Test
  @DisplayName("given 12 starts in one batch, then one creates a run and 11 get it [H1, H10]")
  void oneOwner() {
    var outcomes =
        rivals.doAll(
            IntStream.range(0, 12)
                .mapToObj(_ -> rivals.own(WORK, Duration.ZERO, new Reject()))
                .toList());
    var owner = rivals.owner(TOKEN).orElseThrow();
    assertThat(rivals.runs()).containsExactly(owner);
    assertThat(outcomes)
        .filteredOn(
            outcome -> outcome instanceof StartOutcome.Rejected(var by) && by.id().equals(owner))
        .hasSize(11);
  }

  @Test
  @DisplayName("invalid requests are rejected")
  void refused() {
    assertThatThrownBy(() -> rivals.own(WORK, Duration.ZERO, new SignalExisting()))
        .isInstanceOf(IllegalArgumentException.class);
    for (var wrong : List.of(Duration.ofNanos(-1), Hook.MAX_RETENTION.plusNanos(1))) {
      assertThatThrownBy(() -> rivals.own(WORK, wrong, new Reject()))
          .isInstanceOf(InvalidValueException.class);
    }
  }

  @Test
  @DisplayName("a token belongs to one workspace, and its id does not reveal it [H13]")
  void token() {
    var other = HookId.of(new Workspace("other"), "order 4711");
    assertThat(other).isNotEqualTo(TOKEN);
    assertThat(TOKEN.toString()).doesNotContain("4711").contains(TOKEN.fingerprint().text());
    assertThat(TOKEN.fingerprint().text()).hasSize(16);
  }
}
