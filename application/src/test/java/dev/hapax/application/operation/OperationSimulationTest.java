package dev.hapax.application.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.testkit.simulation.SimulationSeeds;
import dev.hapax.testkit.simulation.operation.OperationService;
import dev.hapax.testkit.simulation.operation.OperationSimulation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Simulated operations, see {@link OperationSimulation}. */
class OperationSimulationTest {
  private static final long SEEDS = 3_000;
  private static final SimulationSeeds SIMULATION =
      new SimulationSeeds(OperationSimulationTest.class, seed -> simulation(seed).run());

  /**
   * Seeds that failed before. A change of the random decisions changes the meaning of a seed: then
   * put the bug back and search for the seeds that find it.
   */
  private static final long[] FAILING_SEEDS = {
    // a failed query for remote changes was not retried
    37048, 70010, 86854
  };

  /** Outcomes that the simulation must cover. */
  private static final String[] OUTCOMES = {
    "BeginOperation: AccountMismatch",
    "BeginOperation: InProgress",
    "BeginOperation: Indeterminate",
    "BeginOperation: KeyReused",
    "BeginOperation: Replayed",
    "BeginOperation: acquired",
    "BeginOperation: re-entered",
    "BeginOperation: reclaimed",
    "CompleteOperation: Completed",
    "CompleteOperation: already",
    "CompleteOperation: lost to COMPLETED",
    "CompleteOperation: lost to INDETERMINATE",
    "CompleteOperation: lost to IN_PROGRESS",
    "CompleteOperation: lost to REJECTED",
    "CompleteOperation: lost to RELEASED",
    "CompleteOperation: lost, no record",
    "FailOperation: Failed",
    "FailOperation: already",
    "FailOperation: lost to COMPLETED",
    "FailOperation: lost to INDETERMINATE",
    "FailOperation: lost to IN_PROGRESS",
    "FailOperation: lost to REJECTED",
    "FailOperation: lost to RELEASED",
    "FailOperation: lost, no record",
    "ForgetOperation: false",
    "ForgetOperation: true",
    "RenewOperation: Renewed",
    "RenewOperation: lost to COMPLETED",
    "RenewOperation: lost to INDETERMINATE",
    "RenewOperation: lost to IN_PROGRESS",
    "RenewOperation: lost to REJECTED",
    "RenewOperation: lost to RELEASED",
    "RenewOperation: lost, no record",
    "ResolveOperation: NotAllowed",
    "ResolveOperation: NotFound",
    "ResolveOperation: Resolved",
    "ResolveOperation: already",
    "dropped"
  };

  private static final int OFTEN = 100;

  /** The application on one node. */
  private record Service(Operations operations, OperationSweep sweeper, WaiterQuota places)
      implements OperationService {
    static Service on(Ledger ledger, OperationReads reads, ScheduledExecutorService timer) {
      var places = new WaiterQuota();
      return new Service(
          new Operations(ledger, reads, places, timer), new OperationSweep(reads, ledger), places);
    }

    @Override
    public CompletableFuture<BeginOutcome> begin(BeginOperation command, Duration wait) {
      return operations.begin(command, wait);
    }

    @Override
    public <O> CompletableFuture<O> submit(Command<O> verb) {
      return operations.submit(verb);
    }

    @Override
    public CompletableFuture<?> sweep() {
      return sweeper.run();
    }

    @Override
    public int waiting() {
      return places.size();
    }
  }

  private static OperationSimulation simulation(long seed) {
    return new OperationSimulation(seed, Service::on);
  }

  @Test
  @DisplayName(
      "given seeds that failed before and thousands of others, or a selected one, then no rule is broken")
  void seeds() {
    SIMULATION.run(
        FAILING_SEEDS,
        SEEDS,
        seen -> {
          assertThat(seen).containsOnlyKeys(OUTCOMES);
          assertThat(seen.values()).allMatch(times -> times >= OFTEN);
        });
  }

  @Test
  @DisplayName("given the same seed, then the traces are identical")
  void repeatable() {
    LongStream.range(0, 100)
        .forEach(
            seed -> {
              var once = simulation(seed);
              var again = simulation(seed);
              once.run();
              again.run();
              assertThat(again.trace()).as("seed %d", seed).isEqualTo(once.trace());
            });
  }

  @Test
  @Tag("soak")
  @DisplayName("given new seeds for some minutes, then no rule is broken")
  void soak() {
    SIMULATION.soak();
  }
}
