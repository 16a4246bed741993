package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.simulation.SimulationSeeds;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Simulated workers, see {@link WorkerSimulation}. */
class WorkerSimulationTest {
  private static final long SEEDS = 400;
  private static final SimulationSeeds SIMULATION =
      new SimulationSeeds(WorkerSimulationTest.class, seed -> new WorkerSimulation(seed).run());

  /** Seeds that failed before. */
  private static final long[] FAILING_SEEDS = {
    // a cut call returned the task that the next call had delivered
    394,
    396,
    // a worker used an answer that it had given up
    49068358162598L
  };

  /** Outcomes that the simulation must cover. */
  private static final String[] OUTCOMES = {
    "ClaimTask: NothingToDo",
    "ClaimTask: delivered again",
    "ClaimTask: granted",
    "CompleteTask: already, next again",
    "CompleteTask: completed",
    "CompleteTask: completed, next",
    "CompleteTask: lost",
    "CompleteTask: task granted",
    "ReturnUndeliveredTask: freed",
    "ReturnUndeliveredTask: not freed",
    "HeartbeatTask: lost",
    "HeartbeatTask: renewed",
    "ReleaseTask: Released",
    "ReleaseTask: lost",
    "StartRun: task granted",
    "RecordParts: Stored",
    "RecordParts: lost",
    "FailTask: Failed",
    "FailTask: lost",
    "SettleStep: Applied",
    "SettleStep: Moved",
    "SettleStep: NotAllowed",
    "StartRun: Restarted",
    "StartRun: Existing",
    "StartRun: KeyReused",
    "run: key lost",
    "part: Begun",
    "part: Retrying",
    "part: Completed"
  };

  @Test
  @DisplayName(
      "given lost, retried and returned polls, then one live holder at a time, fences rise, "
          + "and what runs at most once does so [R8, workflows-P11, turns-R4]")
  void seeds() {
    SIMULATION.run(FAILING_SEEDS, SEEDS, seen -> assertThat(seen).containsKeys(OUTCOMES));
  }

  @Test
  @DisplayName("given the same seed, then the traces are identical")
  void repeatable() {
    LongStream.range(0, 20)
        .forEach(
            seed -> {
              var once = new WorkerSimulation(seed);
              var again = new WorkerSimulation(seed);
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
