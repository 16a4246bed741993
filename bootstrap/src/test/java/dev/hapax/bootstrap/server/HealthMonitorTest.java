package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.operation.OperationSweep.Swept;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.testkit.LogLines;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
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

  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final Map<Check, Integer> rounds = new EnumMap<>(Check.class);
  private final List<Boolean> reported = new ArrayList<>();
  private Optional<String> problem = Optional.empty();
  private boolean isBroken;

  private final HealthMonitor monitor =
      new HealthMonitor(
          "",
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
          timer,
          () -> Duration.between(Instant.EPOCH, clock.instant()).toNanos());

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

  private List<Duration> sinceSuccess() {
    return monitor.loops().stream().map(Loop::sinceSuccess).toList();
  }

  @Test
  @DisplayName(
      "given checks that throw, then all of them go on, log it once, show it in their metric, and"
          + " report the next problem")
  void goesOn() {
    monitor.start();
    var usual = roundsOfAMinute();
    assertThat(usual).containsOnlyKeys(Check.values());
    assertThat(sinceSuccess()).hasSize(3).allMatch(Duration.ZERO::equals);

    isBroken = true;
    try (var health = new LogLines(HealthMonitor.class);
        var janitors = new LogLines(JanitorHealth.class);
        var sweeps = new LogLines(OperationSweep.class)) {
      assertThat(roundsOfAMinute()).isEqualTo(usual);
      assertThat(Stream.of(health, janitors, sweeps).map(LogLines::messages))
          .containsExactly(
              List.of("health check failed, will retry: in a check"),
              List.of("janitor check failed, will retry: in a check"),
              List.of("sweep of released operations failed, will retry: in a check"));
    }
    assertThat(sinceSuccess()).hasSize(3).allMatch(MINUTE::equals);
    assertThat(monitor.loops()).allMatch(loop -> loop.problem().isEmpty());
    isBroken = false;
    problem = Optional.of("the database is away");
    assertThat(roundsOfAMinute()).isEqualTo(usual);
    assertThat(monitor.isServing()).isFalse();
    problem = Optional.empty();
    assertThat(roundsOfAMinute()).isEqualTo(usual);
    assertThat(monitor.isServing()).isTrue();
    assertThat(sinceSuccess()).hasSize(3).allMatch(Duration.ZERO::equals);
    assertThat(reported).containsExactly(false, true);
  }
}
