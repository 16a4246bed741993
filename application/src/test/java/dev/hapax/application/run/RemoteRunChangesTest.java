package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Callers and workers wait on this node for what another node commits. */
class RemoteRunChangesTest {
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final InMemoryLedger elsewhere = new InMemoryLedger(clock);
  private final List<Runnable> listeners = new ArrayList<>();
  private final List<String> queries = new ArrayList<>();
  private boolean away;
  private final RunServices here =
      new RunServices(new ThisNode(), reads(), new WaiterQuota(), clock, () -> 1, timer);

  /** Notified of commits elsewhere when the test says so. */
  private final class ThisNode implements Ledger {
    @Override
    public <O> CompletableFuture<O> submit(Command<O> command) {
      return elsewhere.submit(command);
    }

    @Override
    public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {}

    @Override
    public void onRemoteCommit(Runnable listener) {
      listeners.add(listener);
    }
  }

  /** Those of the records in memory; notes what is queried after a notification. */
  private RunReads reads() {
    var memory = new InMemoryRunReads(elsewhere, clock);
    return (RunReads)
        Proxy.newProxyInstance(
            RunReads.class.getClassLoader(),
            new Class<?>[] {RunReads.class},
            (_, method, arguments) -> {
              if (method.getName().equals("versions") || arguments[0] instanceof Set) {
                queries.add(method.getName());
                if (away) {
                  return CompletableFuture.failedFuture(new LedgerException.Unavailable("away"));
                }
              }
              return method.invoke(memory, arguments);
            });
  }

  private void notified() {
    listeners.forEach(Runnable::run);
  }

  private long queries(String name) {
    return queries.stream().filter(name::equals).count();
  }

  private Run started() {
    var definition =
        new Definition(
            new DefinitionId(House.WORKSPACE, "order", "1"),
            List.of(House.task("a")),
            clock.instant());
    var command =
        new StartRun(
            new RunId(House.WORKSPACE, UUID.randomUUID()),
            definition,
            new Payload.Json("{}"),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Actor.caller(""));
    return ((StartOutcome.Created) elsewhere.submit(command).join()).run();
  }

  private CompletableFuture<Optional<Run>> cancelledElsewhere() {
    var run = started();
    var end = here.runs().await(run.id(), 0, WAIT);
    elsewhere
        .submit(
            new ControlRun(
                run.id(), ControlRun.Verb.CANCEL, "", OptionalLong.empty(), Actor.caller("")))
        .join();
    assertThat(end).isNotDone();
    return end;
  }

  private CompletableFuture<List<Task>> poll() {
    return here.tasks()
        .poll(
            new PollRequest(
                House.WORKSPACE,
                List.of(House.QUEUE),
                "worker",
                Optional.empty(),
                1,
                PrincipalName.NONE),
            WAIT);
  }

  @Test
  @DisplayName("given many notifications at once, one query serves all awaited runs")
  void crowd() {
    var end = cancelledElsewhere();
    var other = here.runs().await(started().id(), 0, WAIT);
    for (var i = 0; i < 20; i++) {
      notified();
    }
    assertThat(queries("versions")).isEqualTo(1);
    assertThat(end).isCompletedWithValueMatching(run -> run.orElseThrow().hasEnded());
    assertThat(other).isNotDone();

    timer.advance(SECOND);
    assertThat(queries("versions")).as("those during the rest").isEqualTo(2);
    timer.advance(SECOND);
    assertThat(queries("versions")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a query that fails, it is repeated without another notification")
  void retried() {
    var end = cancelledElsewhere();
    away = true;
    notified();
    timer.advance(SECOND.multipliedBy(3));
    assertThat(end).isNotDone();
    assertThat(queries("versions")).isBetween(3L, 4L);

    away = false;
    timer.advance(SECOND);
    assertThat(end).isCompletedWithValueMatching(run -> run.orElseThrow().hasEnded());
  }

  @Test
  @DisplayName("given many notifications at once, one query serves all polled queues")
  void polls() {
    var task = poll();
    timer.advance(SECOND);
    queries.clear();
    for (var i = 0; i < 20; i++) {
      notified();
    }
    assertThat(queries("ready")).isEqualTo(1);
    var run = started();
    timer.advance(SECOND);
    assertThat(queries("ready")).as("those during the rest").isEqualTo(2);
    assertThat(task)
        .isCompletedWithValueMatching(found -> found.getFirst().run().id().equals(run.id()));
  }

  @Test
  @DisplayName("given a query for ready tasks that fails, it is repeated")
  void pollsRetried() {
    var task = poll();
    timer.advance(SECOND);
    started();
    away = true;
    notified();
    timer.advance(SECOND);
    assertThat(task).isNotDone();
    away = false;
    timer.advance(SECOND);
    assertThat(task).isCompletedWithValueMatching(found -> found.size() == 1);
  }
}
