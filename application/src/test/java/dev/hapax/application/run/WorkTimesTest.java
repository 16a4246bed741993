package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.monitoring.WorkTime;
import dev.hapax.domain.monitoring.WorkTimes;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkTimesTest {
  private final House house = new House();
  private final List<WorkTime> times = new ArrayList<>();

  @BeforeEach
  void listen() {
    house.ledger.onChanges(new WorkTimes(times::add)::committed);
  }

  private static WorkTime started(long seconds) {
    return new WorkTime.TaskStarted(
        House.WORKSPACE, House.QUEUE, "charge", Duration.ofSeconds(seconds));
  }

  private static WorkTime executed(long seconds) {
    return new WorkTime.StepExecuted(
        House.WORKSPACE, House.QUEUE, "charge", Duration.ofSeconds(seconds));
  }

  private static WorkTime ended(RunStatus status, long seconds) {
    return new WorkTime.RunTook(House.WORKSPACE, "order", status, Duration.ofSeconds(seconds));
  }

  @Test
  @DisplayName("given a task that waits and is executed, then each time is that of the database")
  void completed() {
    var _ = house.start(House.task("charge"));
    house.pass(Duration.ofSeconds(7));
    var task = house.pollOne("1");
    house.pass(Duration.ofSeconds(3));
    var _ = house.complete(task);

    assertThat(times).containsExactly(started(7), executed(3), ended(RunStatus.COMPLETED, 10));
  }

  @Test
  @DisplayName("given an attempt that failed, then the next one waits from its due time")
  void retried() {
    var _ = house.start(House.task("charge"));
    var first = house.pollOne("1");
    house.pass(Duration.ofSeconds(2));
    house.fail(first, false);
    house.pass(Duration.ofSeconds(5));
    var second = house.pollOne("2");
    house.fail(second, true);

    assertThat(times)
        .containsExactly(
            started(0), executed(2), started(4), executed(0), ended(RunStatus.FAILED, 7));
  }

  @Test
  @DisplayName("given a lease that expires, then only the next attempt has an execution time")
  void lost() {
    var _ = house.start(House.task("charge"));
    var _ = house.pollOne("1");
    house.pass(House.LEASE.plusSeconds(1));
    times.clear();

    var _ = house.complete(house.pollOne("2"));

    assertThat(times).hasSize(3).element(1).isEqualTo(executed(0));
  }
}
