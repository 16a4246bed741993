package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.lifecycle.EffectDefinition;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.monitoring.WorkEvents;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StartRun;
import dev.hapax.testkit.operation.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkEventsTest {
  private final House house = new House();
  private final List<WorkEvent> events = new ArrayList<>();

  @BeforeEach
  void listen() {
    house.ledger.onChanges(new WorkEvents(events::add)::committed);
  }

  @Test
  @DisplayName("a retry and the failure of its run are one event each")
  void failed() {
    var run = house.start(House.task("charge")).id();

    house.fail(house.pollOne("1"), false);
    house.pass(Duration.ofSeconds(2));
    house.fail(house.pollOne("2"), true);

    assertThat(events)
        .containsExactly(
            new WorkEvent.RetryScheduled(run, "order", "charge", 1, "DECLINED"),
            new WorkEvent.RunFailed(run, "order", "charge", 2, "DECLINED"));
  }

  @Test
  @DisplayName("a completed run and a cancelled one have ended")
  void ended() {
    var completed = house.start(House.task("charge"));
    var _ = house.complete(house.pollOne("1"));
    var cancelled = house.start(House.task("charge"));
    var _ =
        house
            .runs
            .control(
                new ControlRun(
                    cancelled.id(),
                    ControlRun.Verb.CANCEL,
                    "",
                    OptionalLong.empty(),
                    Actor.caller("test")))
            .join();

    assertThat(events)
        .containsExactly(
            new WorkEvent.RunEnded(completed.id(), "order", RunStatus.COMPLETED),
            new WorkEvent.RunEnded(cancelled.id(), "order", RunStatus.CANCELLED));
  }

  @Test
  @DisplayName("a task whose lease expires names the worker that held it")
  void taskLeaseExpired() {
    var run = house.start(House.task("charge")).id();
    var _ = house.pollOne("1");

    house.pass(House.LEASE.plusSeconds(1));

    assertThat(events)
        .containsExactly(new WorkEvent.TaskLeaseExpired(run, "order", "charge", 1, "worker"));
  }

  @Test
  @DisplayName("an after-effect whose run fails is dead-lettered, not one more failed run")
  void deadLettered() {
    var effect = EffectDefinition.plain(House.WORKSPACE, House.QUEUE, house.clock.instant());
    var id = new RunId(House.WORKSPACE, house.runs.draw());
    var _ =
        house
            .runs
            .start(
                new StartRun(
                    id,
                    effect,
                    new Payload.Json("{}"),
                    Map.of(EffectDefinition.LIFECYCLE_LABEL, "billing"),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Actor.SERVER))
            .join();

    house.fail(house.pollOne("1"), true);

    assertThat(events)
        .containsExactly(
            new WorkEvent.EffectDeadLettered(id, House.QUEUE, "billing", 1, "DECLINED"));
  }

  @Test
  @DisplayName("an operation that is taken over had an expired lease; a released one had not")
  void operationTakenOver() {
    var caller = Caller.of("17").lease(Duration.ofSeconds(10));
    var _ = house.ledger.submit(caller.begin("first")).join();
    house.pass(Duration.ofSeconds(10));
    var begun = (BeginOutcome.Acquired) house.ledger.submit(caller.begin("second")).join();
    assertThat(events)
        .containsExactly(
            new WorkEvent.OperationLeaseExpired(
                caller.key().workspace(), caller.key().operation(), 1));

    var _ = house.ledger.submit(Caller.failRetryable(begun.claim())).join();
    var _ = house.ledger.submit(caller.begin("third")).join();
    assertThat(events).hasSize(1);
  }

  @Test
  @DisplayName("an operation that is held turns INDETERMINATE once")
  void indeterminate() {
    var caller = Caller.of("18").lease(Duration.ofSeconds(10)).onStale(OnStale.HOLD);
    var _ = house.ledger.submit(caller.begin("first")).join();
    house.pass(Duration.ofSeconds(10));

    var _ = house.ledger.submit(caller.begin("second")).join();
    var _ = house.ledger.submit(caller.begin("third")).join();

    var key = caller.key();
    assertThat(events)
        .containsExactly(
            new WorkEvent.OperationLeaseExpired(key.workspace(), key.operation(), 1),
            new WorkEvent.OperationIndeterminate(key.workspace(), key.operation(), 1));
  }

  @Test
  @DisplayName("given no failures, then the only event is the end of the run")
  void nothing() {
    Run run = house.start(House.timer("later", Duration.ofSeconds(5)), House.task("charge"));
    house.pass(Duration.ofSeconds(6));
    house.signal(run, "s1", "go");
    var _ = house.pollOne("1");

    assertThat(events).isEmpty();
  }
}
