package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.operation.OperationSweep.Swept;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("security-M1")
class HealthMonitorTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private enum Check {
    DATABASE,
    JANITORS,
    SWEEP
  }

  private final ManualScheduler timer = new ManualScheduler(new SettableClock());
  private final Map<Check, Integer> rounds = new EnumMap<>(Check.class);
  private final List<Boolean> reported = new ArrayList<>();
  private Optional<String> problem = Optional.empty();
  private boolean isBroken;

  private final HealthMonitor monitor =
      new HealthMonitor(
          () -> {
            run(Check.DATABASE);
            return problem;
          },
          reported::add,
          () -> run(Check.JANITORS),
          () -> {
            run(Check.SWEEP);
            return CompletableFuture.completedFuture(new Swept(0, true));
          },
          timer,
          timer);

  private void run(Check check) {
    rounds.merge(check, 1, Integer::sum);
    if (isBroken) {
      throw new StackOverflowError("in a check");
    }
  }

  private Map<Check, Integer> roundsOfAMinute() {
    rounds.clear();
    timer.advance(MINUTE);
    return Map.copyOf(rounds);
  }

  @Test
  @DisplayName("given checks that throw, then all of them go on, and report the next problem")
  void goesOn() {
    monitor.start();
    var usual = roundsOfAMinute();
    assertThat(usual).containsOnlyKeys(Check.values());

    isBroken = true;
    assertThat(roundsOfAMinute()).isEqualTo(usual);
    isBroken = false;
    problem = Optional.of("the database is away");
    assertThat(roundsOfAMinute()).isEqualTo(usual);
    assertThat(monitor.isServing()).isFalse();
    problem = Optional.empty();
    assertThat(roundsOfAMinute()).isEqualTo(usual);
    assertThat(monitor.isServing()).isTrue();
    assertThat(reported).containsExactly(false, true);
  }
}
