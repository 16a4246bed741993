package dev.hapax.application.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.run.RunServices;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.Held;
import dev.hapax.domain.monitoring.DatabaseReads;
import dev.hapax.domain.monitoring.DatabaseReads.DatabaseInfo;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MonitoringTest {
  private static final Workspace WORKSPACE = new Workspace("watched");
  private static final int DEFINITIONS = 1_234;
  private final SettableClock clock = new SettableClock();
  private final InMemoryLedger ledger = new InMemoryLedger(clock);
  private final BlockedDefinitions definitions = new BlockedDefinitions();
  private final Monitoring monitoring =
      new Monitoring(
          new Database(),
          backlog(),
          definitions,
          new RunServices(
                  ledger,
                  new InMemoryRunReads(ledger, clock),
                  new WaiterQuota(),
                  clock,
                  new Random(1)::nextLong,
                  new ManualScheduler(clock))
              .tasks());

  private static final class Database implements DatabaseReads {
    @Override
    public CompletableFuture<DatabaseInfo> info() {
      return CompletableFuture.completedFuture(
          new DatabaseInfo(1, Instant.EPOCH, DatabaseInfo.TURNS));
    }

    @Override
    public CompletableFuture<Long> bytes() {
      throw new UnsupportedOperationException();
    }
  }

  /** One held task of each of many definitions. */
  private static BacklogReads backlog() {
    var held =
        IntStream.range(0, DEFINITIONS)
            .mapToObj(
                i ->
                    new Held(
                        "worker",
                        new DefinitionId(WORKSPACE, "order", "v" + i),
                        0,
                        1,
                        Instant.EPOCH))
            .toList();
    return (BacklogReads)
        Proxy.newProxyInstance(
            BacklogReads.class.getClassLoader(),
            new Class<?>[] {BacklogReads.class},
            (_, method, _) ->
                CompletableFuture.completedFuture(
                    method.getName().equals("held")
                        ? new BacklogReads.HeldTasks(held, false)
                        : List.of()));
  }

  @Test
  @DisplayName("given held tasks of many definitions, few definitions are read at a time")
  void fewAtOnce() {
    var queues = monitoring.queues(WORKSPACE, 10, Optional.empty());

    while (!queues.isDone()) {
      assertThat(definitions.reads).hasSizeBetween(1, Monitoring.AT_ONCE);
      definitions.answer();
    }
    assertThat(queues.join().items())
        .singleElement()
        .returns("orders", QueueState::queue)
        .returns(DEFINITIONS, QueueState::held);
  }

  /** Answers reads when the test says so. */
  private static final class BlockedDefinitions implements DefinitionReads {
    private record Read(DefinitionId id, CompletableFuture<Optional<Definition>> answer) {}

    private final List<Read> reads = new ArrayList<>();

    void answer() {
      var now = List.copyOf(reads);
      reads.clear();
      now.forEach(read -> read.answer().complete(Optional.of(definition(read.id()))));
    }

    private static Definition definition(DefinitionId id) {
      var work = new StepDefinition.Work("orders", Duration.ofSeconds(30), RetryPolicy.DEFAULT);
      return new Definition(
          id, List.of(new StepDefinition("charge", new StepDefinition.Task(work))), Instant.EPOCH);
    }

    @Override
    public CompletableFuture<Optional<Definition>> find(DefinitionId id) {
      var answer = new CompletableFuture<Optional<Definition>>();
      reads.add(new Read(id, answer));
      return answer;
    }

    @Override
    public CompletableFuture<Optional<Definition>> latest(Workspace workspace, String name) {
      throw new UnsupportedOperationException("latest");
    }

    @Override
    public CompletableFuture<Page<Definition, Position>> list(Query query) {
      throw new UnsupportedOperationException("list");
    }
  }
}
