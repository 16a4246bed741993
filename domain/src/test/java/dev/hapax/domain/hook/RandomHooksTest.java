package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.WAITS;
import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.ConflictPolicy.Reject;
import dev.hapax.domain.hook.ConflictPolicy.SignalExisting;
import dev.hapax.domain.hook.ConflictPolicy.Supersede;
import dev.hapax.domain.hook.ConflictPolicy.UseExisting;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.StartOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Random commands of several runs for a few tokens: one by one against a model of the owners, and
 * in batches against the histories. A seed reproduces a run.
 */
class RandomHooksTest {
  private static final int SEEDS = 300;
  private static final int LONG = 20_000;
  private static final int PER_TEST = 100;
  private static final int COMMANDS = 80;
  private static final List<HookId> TOKENS = Stream.of("a", "b", "c").map(Rivals::token).toList();
  private static final List<Duration> RETENTIONS =
      List.of(Duration.ZERO, Duration.ofMinutes(1), Duration.ofMinutes(5));

  @TestFactory
  @DisplayName(
      "given random commands, then one owner at most and an unbroken chain [H1, H2, "
          + "H7, H8, H9, H11, H12]")
  Stream<DynamicTest> stories() {
    return stories(0, SEEDS);
  }

  @TestFactory
  @Tag("soak")
  @DisplayName("the same with more random commands")
  Stream<DynamicTest> moreStories() {
    return stories(SEEDS, LONG);
  }

  private static Stream<DynamicTest> stories(int from, int count) {
    return IntStream.range(0, count / PER_TEST)
        .map(part -> from + part * PER_TEST)
        .mapToObj(
            first ->
                DynamicTest.dynamicTest(
                    "seeds from " + first,
                    () -> IntStream.range(first, first + PER_TEST).forEach(RandomHooksTest::tell)));
  }

  private static Set<String> tell(int seed) {
    var teller = new Teller(seed);
    try {
      teller.tell(seed % 2 == 1);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
    return teller.outcomes;
  }

  @Test
  @DisplayName("the random runs cover every outcome")
  void everythingHappens() {
    var told = new TreeSet<String>();
    IntStream.range(0, 100).forEach(seed -> told.addAll(tell(seed)));
    assertThat(told)
        .contains(
            "StartOutcome.Created",
            "StartOutcome.Rejected",
            "StartOutcome.UsedExisting",
            "StartOutcome.Signalled",
            "StartOutcome.Superseded",
            "StartOutcome.Restarted",
            "StartOutcome.Existing",
            "StartOutcome.KeyReused",
            "CreateHookOutcome.Owned",
            "CreateHookOutcome.Conflict",
            "CreateHookOutcome.RunEnded",
            "SignalHookOutcome.Accepted",
            "SignalHookOutcome.NotFound",
            "DisposeHookOutcome.Disposed",
            "DisposeHookOutcome.Conflict",
            "DisposeHookOutcome.NotFound",
            "ReopenOutcome.Decided",
            "ReopenOutcome.Conflict");
  }

  /** The model of the owners, from the outcomes alone. */
  private static final class Model {
    private record Owner(RunId run, Duration retention, Instant keptUntil) {}

    private final Map<HookId, Owner> owners = new HashMap<>();

    /** The run of the only key, and its request. */
    private Optional<RunId> keyed = Optional.empty();

    private int request;

    void got(HookId token, RunId run, Duration retention) {
      owners.put(token, new Owner(run, retention, Instant.MAX));
    }

    void lost(HookId token) {
      owners.remove(token);
    }

    void ended(RunId run, Instant at) {
      owners.replaceAll(
          (_, owner) ->
              owner.run().equals(run) && owner.keptUntil().equals(Instant.MAX)
                  ? new Owner(run, owner.retention(), at.plus(owner.retention()))
                  : owner);
    }

    /** A settlement ended a failed run once more: what it still retains, it retains from then. */
    void endedAgain(RunId run, Instant at) {
      owners.replaceAll(
          (_, owner) ->
              owner.run().equals(run)
                  ? new Owner(run, owner.retention(), at.plus(owner.retention()))
                  : owner);
    }

    Optional<RunId> owner(HookId token, Instant now) {
      return Optional.ofNullable(owners.get(token))
          .filter(owner -> now.isBefore(owner.keptUntil()))
          .map(Owner::run);
    }
  }

  private static final class Teller {
    final Set<String> outcomes = new TreeSet<>();
    private final Rivals rivals = new Rivals();
    private final Model model = new Model();
    private final Random random;

    Teller(int seed) {
      random = new Random(seed);
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    void tell(boolean inBatches) {
      rivals.runs(WORK);
      for (var i = 0; i < COMMANDS; i++) {
        if (random.nextInt(4) == 0) {
          rivals.later(Duration.ofSeconds(random.nextInt(120)));
        }
        if (random.nextInt(3) == 0) {
          end(anyRun());
        } else if (inBatches) {
          var commands =
              Stream.<Command<?>>generate(this::command).limit(1 + random.nextInt(12)).toList();
          rivals.<Object>doAll(commands).forEach(this::remember);
        } else {
          alone();
        }
        check(!inBatches);
      }
      checkChain();
    }

    /** Mostly a late one: they may still live. */
    private RunId anyRun() {
      var all = new ArrayList<>(rivals.runs());
      return all.get(all.size() - 1 - random.nextInt(Math.min(all.size(), 6)));
    }

    private void end(RunId run) {
      if (rivals.run(run).hasEnded()) {
        return;
      }
      var isWork = rivals.run(run).definition().equals(WORK);
      switch (random.nextInt(isWork ? 4 : 2)) {
        case 0 -> rivals.cancels(run);
        case 1 -> rivals.steers(run, random.nextBoolean() ? Verb.PAUSE : Verb.RESUME);
        case 2 -> {
          rivals.steers(run, Verb.RESUME);
          rivals.completes(run);
        }
        default -> {
          rivals.steers(run, Verb.RESUME);
          rivals.fails(run);
        }
      }
      seeEnd(run);
    }

    private void seeEnd(RunId run) {
      rivals.run(run).endedAt().ifPresent(at -> model.ended(run, at));
    }

    private Command<?> command() {
      return switch (random.nextInt(5)) {
        case 0 -> start();
        case 1 -> create();
        case 2 -> signalHook();
        case 3 -> dispose();
        default -> retry();
      };
    }

    private StartRunWithHooks start() {
      var signalled =
          Rivals.with(
              rivals.start(random.nextInt(4) == 0 ? WAITS : WORK),
              Rivals.signal("s" + random.nextInt(30)));
      var policy = any(List.of(new Reject(), new UseExisting(), new SignalExisting(), supersede()));
      return new StartRunWithHooks(
          random.nextBoolean()
              ? signalled
              : Rivals.restarting(signalled, Rivals.KEY, random.nextInt(3)),
          List.of(new StartRunWithHooks.Wanted(any(TOKENS), "", any(RETENTIONS), policy)));
    }

    private Supersede supersede() {
      return new Supersede(random.nextInt(3) == 0 ? Optional.of(anyRun()) : Optional.empty());
    }

    private CreateHook create() {
      return new CreateHook(
          anyRun(),
          Optional.empty(),
          any(TOKENS),
          "",
          any(RETENTIONS),
          random.nextBoolean() ? Optional.of(supersede()) : Optional.empty(),
          Rivals.BY);
    }

    private SignalHook signalHook() {
      return new SignalHook(
          any(TOKENS), Rivals.signal("s" + random.nextInt(30)), Optional.empty(), Rivals.BY);
    }

    private DisposeHook dispose() {
      return new DisposeHook(
          any(TOKENS),
          random.nextBoolean() ? Optional.of(anyRun()) : Optional.empty(),
          "",
          Rivals.BY);
    }

    private ReopenRunWithHooks retry() {
      var failed =
          rivals.runs().stream()
              .filter(run -> rivals.run(run).status() == RunStatus.FAILED)
              .toList();
      var run = failed.isEmpty() ? anyRun() : any(failed);
      return random.nextBoolean()
          ? rivals.retry(run)
          : rivals.settle(
              run,
              switch (random.nextInt(4)) {
                case 0 -> new RunChange.Verdict.Complete(Optional.empty(), Optional.empty());
                case 1 -> new RunChange.Verdict.Skip();
                case 2 -> new RunChange.Verdict.Fail(Rivals.FAILURE);
                default -> new RunChange.Verdict.Repeat();
              });
    }

    private void remember(Object outcome) {
      var type = outcome.getClass();
      outcomes.add(type.getEnclosingClass().getSimpleName() + "." + type.getSimpleName());
    }

    /** One command with its outcome by the model. */
    private void alone() {
      switch (command()) {
        case StartRunWithHooks start -> does(start);
        case CreateHook create -> does(create);
        case SignalHook sent -> does(sent);
        case DisposeHook dispose -> does(dispose);
        case ReopenRunWithHooks retry -> does(retry);
        case Command<?> other -> throw new AssertionError(other);
      }
    }

    private Optional<RunId> owner(HookId token) {
      return model.owner(token, rivals.now());
    }

    private void does(StartRunWithHooks start) {
      var token = start.wanted().getFirst();
      var owner = owner(token.hook());
      var lives = owner.filter(run -> !rivals.run(run).hasEnded()).isPresent();
      var bound = start.start().key().flatMap(_ -> model.keyed);
      var isSame = bound.isPresent() && request(start) == model.request;
      var restartable =
          bound.filter(run -> !isSame).filter(run -> isRestartable(rivals.run(run).status()));
      var outcome = rivals.does(start);
      remember(outcome);
      if (!(outcome instanceof StartOutcome.Existing
          || outcome instanceof StartOutcome.KeyReused)) {
        assertThat(bound).as("the key is free, or taken").isEqualTo(restartable);
      }
      switch (outcome) {
        case StartOutcome.Existing(var run) -> {
          assertThat(isSame).isTrue();
          assertThat(bound).contains(run);
        }
        case StartOutcome.KeyReused(var run, _) -> {
          assertThat(isSame).isFalse();
          assertThat(bound).contains(run);
          assertThat(restartable).isEmpty();
        }
        case StartOutcome.Restarted(var run, var from) -> {
          assertThat(restartable).contains(from.id());
          assertThat(owner.filter(by -> !by.equals(from.id()))).isEmpty();
          model.got(token.hook(), run.id(), token.retention());
          keyed(start, run.id());
        }
        case StartOutcome.Created(var run) -> {
          assertThat(restartable).isEmpty();
          assertThat(owner).isEmpty();
          keyed(start, run.id());
          assertThat(run.id()).isEqualTo(start.start().run());
          model.got(token.hook(), run.id(), token.retention());
        }
        case StartOutcome.Superseded(var run, var from) -> {
          assertThat(owner).isEqualTo(Optional.of(from.getFirst().id()));
          assertThat(from.stream().skip(1).map(Run::id)).isEqualTo(restartable.stream().toList());
          keyed(start, run.id());
          assertThat(token.onConflict())
              .isInstanceOfSatisfying(
                  Supersede.class,
                  supersede ->
                      assertThat(supersede.only().filter(only -> !only.equals(owner.orElseThrow())))
                          .isEmpty());
          seeEnd(from.getFirst().id());
          model.got(token.hook(), run.id(), token.retention());
        }
        case StartOutcome.Rejected(var by) -> {
          assertThat(owner).contains(by.id());
          assertThat(token.onConflict()).isNotInstanceOf(UseExisting.class);
          assertThat(token.onConflict() instanceof SignalExisting && lives).isFalse();
        }
        case StartOutcome.UsedExisting(var by) -> {
          assertThat(owner).contains(by.id());
          keyed(start, by.id());
        }
        case StartOutcome.Signalled(var by, _) -> {
          assertThat(owner).contains(by.id());
          keyed(start, by.id());
          assertThat(lives).isTrue();
          seeEnd(by.id());
        }
        default -> throw new AssertionError(outcome);
      }
    }

    private static int request(StartRunWithHooks start) {
      return IntStream.range(0, 3)
          .filter(
              request ->
                  Rivals.restarting(start.start(), Rivals.KEY, request)
                      .key()
                      .equals(start.start().key()))
          .findAny()
          .orElse(-1);
    }

    private static boolean isRestartable(RunStatus status) {
      return status == RunStatus.FAILED || status == RunStatus.CANCELLED;
    }

    private void keyed(StartRunWithHooks start, RunId run) {
      if (start.start().key().isPresent()) {
        model.keyed = Optional.of(run);
        model.request = request(start);
      }
    }

    private void does(CreateHook create) {
      var owner = owner(create.hook());
      var outcome = rivals.does(create);
      remember(outcome);
      switch (outcome) {
        case CreateHookOutcome.Owned(var hook, var run, var from, var already) -> {
          assertThat(run.id()).isEqualTo(create.run());
          assertThat(already).isEqualTo(owner.filter(run.id()::equals).isPresent());
          if (!already) {
            assertThat(from.map(before -> before.id())).isEqualTo(owner);
            from.ifPresent(before -> seeEnd(before.id()));
            model.got(create.hook(), run.id(), hook.retention());
          }
        }
        case CreateHookOutcome.Conflict(var by) -> assertThat(owner).contains(by.id());
        case CreateHookOutcome.RunEnded(var run) -> assertThat(run.hasEnded()).isTrue();
        default -> throw new AssertionError(outcome);
      }
    }

    private void does(SignalHook sent) {
      var alive = owner(sent.hook()).filter(run -> !rivals.run(run).hasEnded());
      var ended = owner(sent.hook()).filter(run -> rivals.run(run).hasEnded());
      var outcome = rivals.does(sent);
      remember(outcome);
      switch (outcome) {
        case SignalHookOutcome.Accepted(var by, var disposition)
            when disposition == SignalDisposition.DUPLICATE ->
            assertThat(alive.or(() -> ended)).contains(by.id());
        case SignalHookOutcome.Accepted(var by, _) -> {
          assertThat(alive).contains(by.id());
          assertThat(rivals.changes(by.id()))
              .contains(
                  new RunChange.SignalReceived(
                      sent.signal().id(),
                      sent.signal().type(),
                      Optional.of(new SourceHook(sent.hook().hash(), "")),
                      sent.signal().payload()));
          seeEnd(by.id());
        }
        case SignalHookOutcome.NotFound() -> assertThat(alive).isEmpty();
        default -> throw new AssertionError(outcome);
      }
    }

    private void does(DisposeHook dispose) {
      var owner = owner(dispose.hook());
      var outcome = rivals.does(dispose);
      remember(outcome);
      switch (outcome) {
        case DisposeHookOutcome.Disposed(_, var run, var already) -> {
          assertThat(already).isEqualTo(owner.isEmpty());
          assertThat(owner.filter(by -> !by.equals(run.id()))).isEmpty();
          model.lost(dispose.hook());
        }
        case DisposeHookOutcome.NotFound() -> assertThat(owner).isEmpty();
        case DisposeHookOutcome.Conflict(var by) -> assertThat(owner).contains(by.id());
        default -> throw new AssertionError(outcome);
      }
    }

    private void does(ReopenRunWithHooks retry) {
      var run = retry.command().run();
      var outcome = rivals.does(retry);
      remember(outcome);
      switch (outcome) {
        case ReopenOutcome.Decided(ControlOutcome.Applied(var reopened, var already))
            when !already -> {
          assertThat(reopened.tokens().keyLost()).as("continued").isFalse();
          reopened
              .endedAt()
              .ifPresentOrElse(
                  at -> model.endedAgain(run, at),
                  () ->
                      retry
                          .tokens()
                          .forEach(held -> model.got(held.hook(), run, held.retention())));
        }
        case ReopenOutcome.Conflict(var token, var by) -> {
          assertThat(by.id()).isNotEqualTo(run);
          assertThat(owner(token)).contains(by.id());
        }
        default -> {}
      }
    }

    private void check(boolean againstModel) {
      for (var token : TOKENS) {
        var alive =
            rivals.runs().stream()
                .filter(run -> !rivals.run(run).hasEnded() && holds(run, token))
                .toList();
        assertThat(alive).as("one owner at most").hasSizeLessThanOrEqualTo(1);
        var owner = rivals.owner(token);
        if (alive.isEmpty()) {
          assertThat(owner.filter(run -> !rivals.run(run).hasEnded() || !holds(run, token)))
              .isEmpty();
        } else {
          assertThat(owner).isEqualTo(Optional.of(alive.getFirst()));
        }
        if (againstModel) {
          assertThat(owner).isEqualTo(owner(token));
        }
      }
    }

    /** By its history. */
    private boolean holds(RunId run, HookId token) {
      var holds = false;
      for (var change : rivals.changes(run)) {
        holds =
            switch (change) {
              case RunChange.HookCreated(var hash, _, _, _) -> holds || is(token, hash);
              case RunChange.HookDisposed(var hash, _) -> holds && !is(token, hash);
              default -> holds;
            };
      }
      return holds;
    }

    private static boolean is(HookId token, UUID hash) {
      return token.equals(new HookId(Workspace.DEFAULT, hash));
    }

    /** A run that took a token is recorded by the former owner, and the reverse. */
    private void checkChain() {
      var taken = new ArrayList<String>();
      var lost = new ArrayList<String>();
      var byKeys = new ArrayList<String>();
      for (var run : rivals.runs()) {
        for (var change : rivals.changes(run)) {
          switch (change) {
            case RunChange.HookCreated(_, _, _, var from) ->
                from.ifPresent(before -> taken.add(before + " -> " + run));
            case RunChange.RunCancelled(_, var by) ->
                by.ifPresent(next -> lost.add(run + " -> " + next));
            case RunChange.Superseded(var by, var byKey) ->
                (byKey ? byKeys : lost).add(run + " -> " + by);
            default -> {}
          }
        }
      }
      // with the key a run may lose a token, in the same event
      byKeys.stream()
          .filter(each -> Collections.frequency(lost, each) < Collections.frequency(taken, each))
          .forEach(lost::add);
      assertThat(lost).containsExactlyInAnyOrderElementsOf(taken);
    }
  }
}
