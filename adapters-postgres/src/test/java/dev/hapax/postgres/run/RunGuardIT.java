package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartRun;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RowVersion;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunGuardIT {
  private static final Definition DEFINITION =
      RunSamples.definition("guarded", new StepDefinition.Task(RunSamples.work("q")));

  /** Loads a run as it was one version before, the first time. */
  private static final class Stale implements RecordTable<RunId, Run> {
    private final RunTable table = new RunTable(new DefinitionCache(), new DatabaseClock());
    private final AtomicInteger loads = new AtomicInteger();

    @Override
    public Class<RunId> keys() {
      return table.keys();
    }

    @Override
    public Comparator<RunId> lockOrder() {
      return table.lockOrder();
    }

    @Override
    public void lock(Pipeline pipeline, List<RunId> keys, Loading<RunId, Run> loading) {
      table.lock(
          pipeline,
          keys,
          new Loading<>() {
            @Override
            public void found(RunId id, Run run) {
              throw new AssertionError("the version of the row is missing");
            }

            @Override
            public void found(RunId id, Run run, RowVersion version) {
              loading.found(
                  id,
                  loads.getAndIncrement() == 0
                      ? RunSamples.with(run, run.version() - 1, new Phase.Ready(RunSamples.NOW, 1))
                      : run,
                  version);
            }

            @Override
            public void deferred(RunId id) {
              loading.deferred(id);
            }
          });
    }

    @Override
    public void lookUp(Pipeline pipeline, List<RunId> absent, Loading<RunId, Run> loading) {
      table.lookUp(pipeline, absent, loading);
    }

    @Override
    public void insert(Pipeline pipeline, List<Write<RunId, Run>> writes) {
      table.insert(pipeline, writes);
    }

    @Override
    public void change(Pipeline pipeline, List<Write<RunId, Run>> writes) {
      table.change(pipeline, writes);
    }

    @Override
    public void verify(Pipeline pipeline, List<Write<RunId, Run>> writes) {
      table.verify(pipeline, writes);
    }
  }

  @Test
  @DisplayName(
      "a run with a newer version than the one loaded gets no second event of it: it is decided again")
  void noFork() {
    try (var nodes = new RunNodes(1)) {
      nodes.run(RunNodes.write(DEFINITION.id(), DEFINITION));
      var id = RunSamples.newRun();
      nodes.run(
          new StartRun(
              id,
              DEFINITION,
              new Payload.Json("1"),
              Map.of(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Actor.caller("")));
      nodes.run(new ClaimTask(id, "q", "worker", Optional.empty(), 1, PrincipalName.NONE));
      var stale = new Stale();
      var cancel =
          new ControlRun(id, ControlRun.Verb.CANCEL, "", OptionalLong.empty(), Actor.caller(""));

      var outcome = nodes.node(stale).submit(cancel).orTimeout(30, TimeUnit.SECONDS).join();

      assertThat(((ControlOutcome.Applied) outcome).run().version()).isEqualTo(3);
      assertThat(stale.loads).hasValueGreaterThan(1);
      assertThat(nodes.runs().events(id, 1, 10).join().items())
          .extracting(event -> (Object) event.change().getClass())
          .containsExactly(RunChange.StepStarted.class, RunChange.RunCancelled.class);
    }
  }
}
