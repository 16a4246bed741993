package dev.hapax.postgres.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.DisposeHookOutcome;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.SignalHookOutcome;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes on one database. The answers of the callers are compared with the histories. */
@Tag("fault")
@Tag("long")
class HookRacesIT {
  private static final int FEW = 300;
  private static final int MANY = 10_000;

  /** So few at once that it is open who comes first. */
  private static final int WAVE = 4;

  private static HookNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new HookNodes(2);
  }

  @AfterAll
  static void stop() {
    try (var all = nodes) {
      assertThat(all.nodes.deadlocks()).as("all nodes lock in one order").isZero();
    }
  }

  private static List<StartOutcome> startAll(HookId token, ConflictPolicy policy, int number) {
    return HookNodes.awaitAll(
        IntStream.range(0, number)
            .mapToObj(i -> nodes.submit(HookNodes.start(token, policy, "s" + i))));
  }

  private static List<String> signals(RunId run) {
    return nodes.history(run).stream()
        .map(RunEvent::change)
        .filter(RunChange.SignalReceived.class::isInstance)
        .map(change -> ((RunChange.SignalReceived) change).signalId())
        .toList();
  }

  /** How many runs there are since. */
  private static int runsSince(int before) {
    return runs() - before;
  }

  private static int runs() {
    return Integer.parseInt(nodes.nodes.database().query("SELECT count(*) FROM hapax.run"));
  }

  @Test
  @DisplayName(
      "given 100 starts on two nodes, then one creates a run and 99 return it [H1, " + "H3, H10]")
  void reject() {
    var before = runs();
    var token = HookNodes.token("reject");
    var outcomes = startAll(token, HookNodes.REJECT, 100);
    var owner = nodes.owner(token, false).orElseThrow();
    assertThat(outcomes)
        .filteredOn(
            outcome -> outcome instanceof StartOutcome.Created(var run) && run.id().equals(owner))
        .hasSize(1);
    assertThat(outcomes)
        .filteredOn(
            outcome -> outcome instanceof StartOutcome.Rejected(var by) && by.id().equals(owner))
        .hasSize(99);
    assertThat(runsSince(before)).isEqualTo(1);
    assertThat(signals(owner)).hasSize(1);
  }

  @Test
  @DisplayName("of 100 starts that adopt an owner one makes a run, and it stands for all [H4]")
  void useExisting() {
    var before = runs();
    var token = HookNodes.token("adopt");
    var outcomes = startAll(token, new ConflictPolicy.UseExisting(), 100);
    var owner = nodes.owner(token, false).orElseThrow();
    assertThat(outcomes)
        .filteredOn(
            outcome ->
                outcome instanceof StartOutcome.UsedExisting(var by) && by.id().equals(owner))
        .hasSize(99);
    assertThat(runsSince(before)).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "100 starts or signals with different signals: one run, 100 signals in its " + "inbox [H6]")
  void signalExisting() {
    var before = runs();
    var token = HookNodes.token("signal");
    var outcomes = startAll(token, new ConflictPolicy.SignalExisting(), 100);
    var owner = nodes.owner(token, false).orElseThrow();
    assertThat(outcomes).filteredOn(StartOutcome.Created.class::isInstance).hasSize(1);
    assertThat(outcomes)
        .filteredOn(
            outcome ->
                outcome instanceof StartOutcome.Signalled(var by, _) && by.id().equals(owner))
        .hasSize(99);
    assertThat(runsSince(before)).isEqualTo(1);
    assertThat(signals(owner))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 100).mapToObj(i -> "s" + i).toList());
    assertThat(nodes.find(owner).inbox().unconsumed()).isEqualTo(100);
  }

  @Test
  @DisplayName(
      "200 supersedes on two nodes: one lives, 199 are a chain, and an observer "
          + "always sees one [H7]")
  void supersede() {
    var token = HookNodes.token("supersede");
    var first = nodes.owner(token);
    var observed = new AtomicInteger();
    var over = new AtomicBoolean();
    var observer = CompletableFuture.runAsync(() -> observe(token, observed, over));
    var outcomes = startAll(token, HookNodes.TAKE, 200);
    over.set(true);
    HookNodes.await(observer);
    assertThat(observed).as("the observer was there").hasPositiveValue();

    assertThat(outcomes).hasOnlyElementsOfType(StartOutcome.Superseded.class);
    var chain = new ArrayList<Run>();
    var next = Optional.<RunId>empty();
    for (var at = nodes.owner(token, false); at.isPresent(); ) {
      var run = nodes.find(at.get());
      assertThat(run.tokens().supersededBy()).as("no gap").isEqualTo(next);
      chain.add(run);
      next = at;
      at = run.tokens().supersedes();
    }
    assertThat(chain).hasSize(201);
    assertThat(chain.getFirst().hasEnded()).isFalse();
    assertThat(chain.subList(1, 201)).extracting(Run::status).containsOnly(RunStatus.CANCELLED);
    assertThat(chain.getLast().id()).isEqualTo(first);
  }

  private static void observe(HookId token, AtomicInteger observed, AtomicBoolean over) {
    while (!over.get()) {
      assertThat(nodes.owner(token, false)).as("an owner, alive").isPresent();
      observed.incrementAndGet();
    }
  }

  @Test
  @DisplayName("1,000 hand-offs, end then claim, on two nodes, without one false conflict [H9]")
  void handOffs() {
    var token = HookNodes.token("hand-off");
    var owner = nodes.owner(token);
    for (var i = 0; i < 1_000; i++) {
      switch (i % 4) {
        case 0 -> nodes.run(HookNodes.cancel(owner));
        case 1 -> nodes.run(HookNodes.complete(nodes.take(owner)));
        case 2 -> nodes.run(HookNodes.fail(nodes.take(owner)));
        default -> nodes.run(HookNodes.dispose(token));
      }
      owner = nodes.owner(token);
    }
    assertThat(nodes.owner(token, false)).contains(owner);
  }

  /** Tokens with an owner each. */
  private static Map<HookId, RunId> owners(String name, int number) {
    var owners = new LinkedHashMap<HookId, RunId>();
    for (var from = 0; from < number; from += FEW) {
      var started = new LinkedHashMap<HookId, CompletableFuture<StartOutcome>>();
      for (var i = from; i < Math.min(number, from + FEW); i++) {
        var token = HookNodes.token(name + number + "-" + i);
        started.put(token, nodes.submit(HookNodes.start(token, HookNodes.REJECT)));
      }
      started.forEach(
          (token, outcome) -> owners.put(token, HookNodes.created(HookNodes.await(outcome))));
    }
    return owners;
  }

  private record Race<A, B>(HookId token, RunId owner, A one, B other) {}

  private interface Racer<O> {
    Command<O> of(HookId token, RunId owner);
  }

  /** Each race on both nodes, a few at once; who is sent first changes. */
  private static <A, B> List<Race<A, B>> race(
      Map<HookId, RunId> owners, Racer<A> one, Racer<B> other) {
    var random = new Random(42);
    var races = new ArrayList<Race<A, B>>();
    var wave = new ArrayList<CompletableFuture<Race<A, B>>>();
    owners.forEach(
        (token, owner) -> {
          var node = random.nextInt(2);
          var isFirst = random.nextBoolean();
          var early = isFirst ? nodes.submit(node, one.of(token, owner)) : null;
          var second = nodes.submit(1 - node, other.of(token, owner));
          var first = early == null ? nodes.submit(node, one.of(token, owner)) : early;
          wave.add(first.thenCombine(second, (a, b) -> new Race<>(token, owner, a, b)));
          if (wave.size() == WAVE) {
            races.addAll(HookNodes.awaitAll(wave.stream()));
            wave.clear();
          }
        });
    return races;
  }

  /** The version of the event of this kind; empty = there is none. */
  private static Optional<Long> version(List<RunEvent> history, Class<? extends RunChange> change) {
    var versions =
        history.stream()
            .filter(event -> change.isInstance(event.change()))
            .map(RunEvent::version)
            .toList();
    assertThat(versions).as("once").hasSizeLessThanOrEqualTo(1);
    return versions.stream().findFirst();
  }

  /**
   * A signal is in the history if and only if the answer to its sender says so, and before this
   * event.
   */
  private static void requireReceivedBefore(
      RunId owner, SignalHookOutcome told, Class<? extends RunChange> end) {
    var history = nodes.history(owner);
    var received = version(history, RunChange.SignalReceived.class);
    assertThat(received.isPresent()).isEqualTo(told instanceof SignalHookOutcome.Accepted);
    if (received.isEmpty()) {
      assertThat(told).isEqualTo(new SignalHookOutcome.NotFound());
    }
    assertThat(version(history, end)).isPresent();
    assertThat(received.orElse(0L)).isLessThan(version(history, end).orElseThrow());
  }

  private static <A, B> void requireBothWin(List<Race<A, B>> races, Class<? extends A> one) {
    assertThat(races.stream().filter(race -> one.isInstance(race.one())).count())
        .as("how often one came first; both have to, or this is no race")
        .isBetween(1L, races.size() - 1L);
  }

  @Test
  @DisplayName(
      "dispose against signal: what was answered OK is there, and before the "
          + "disposal [H8, H12]")
  void disposeAndSignal() {
    disposeAndSignal(FEW);
  }

  private static void disposeAndSignal(int number) {
    var races =
        race(
            owners("dispose", number),
            (token, owner) -> HookNodes.signalHook(token, "s").expecting(owner),
            (token, _) -> HookNodes.dispose(token));
    for (var race : races) {
      assertThat(race.other()).isInstanceOf(DisposeHookOutcome.Disposed.class);
      requireReceivedBefore(race.owner(), race.one(), RunChange.HookDisposed.class);
      assertThat(nodes.owner(race.token(), false)).isEmpty();
    }
    requireBothWin(races, SignalHookOutcome.Accepted.class);
  }

  @Test
  @DisplayName(
      "cancel against signal: what was answered OK is there, and before the end [H8, " + "H9]")
  void cancelAndSignal() {
    cancelAndSignal(FEW);
  }

  private static void cancelAndSignal(int number) {
    var races =
        race(
            owners("cancel", number),
            (token, owner) -> HookNodes.signalHook(token, "s").expecting(owner),
            (_, owner) -> HookNodes.cancel(owner));
    for (var race : races) {
      requireReceivedBefore(race.owner(), race.one(), RunChange.RunCancelled.class);
      assertThat(nodes.owner(race.token(), false)).isEmpty();
    }
    requireBothWin(races, SignalHookOutcome.Accepted.class);
  }

  @Test
  @DisplayName(
      "complete against supersede: the run completes or is cancelled, never both " + "[H7, H9]")
  void completeAndSupersede() {
    completeAndSupersede(FEW);
  }

  private static void completeAndSupersede(int number) {
    var owners = owners("complete", number);
    var claims = new LinkedHashMap<RunId, TaskClaim>();
    owners.values().forEach(owner -> claims.put(owner, nodes.take(owner)));
    var races =
        race(
            owners,
            (_, owner) -> HookNodes.complete(Objects.requireNonNull(claims.get(owner))),
            (token, _) -> HookNodes.start(token, HookNodes.TAKE));
    for (var race : races) {
      var left = nodes.find(race.owner());
      switch (race.one()) {
        case CompleteTaskOutcome.Completed _ -> {
          assertThat(left.status()).isEqualTo(RunStatus.COMPLETED);
          assertThat(race.other()).isInstanceOf(StartOutcome.Created.class);
          assertThat(left.tokens().supersededBy()).isEmpty();
        }
        case TaskLost lost -> {
          assertThat(lost.reason()).isEqualTo(TaskLost.Reason.SUPERSEDED);
          assertThat(left.status()).isEqualTo(RunStatus.CANCELLED);
          assertThat(race.other()).isInstanceOf(StartOutcome.Superseded.class);
        }
        default -> throw new AssertionError(race);
      }
      assertThat(nodes.history(race.owner()))
          .filteredOn(
              event ->
                  Stream.of(RunChange.RunCompleted.class, RunChange.RunCancelled.class)
                      .anyMatch(end -> end.isInstance(event.change())))
          .hasSize(1);
    }
    requireBothWin(races, CompleteTaskOutcome.Completed.class);
  }

  @Test
  @Tag("soak")
  @DisplayName("the three races, 10,000 times each [H7, H8, H9, H12]")
  void many() {
    disposeAndSignal(MANY);
    cancelAndSignal(MANY);
    completeAndSupersede(MANY);
  }
}
