package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SuspendTaskRequest;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All in the thread of the test; a run begins when a worker is there, and time stands still. */
@Timeout(60)
class WorkflowWaitsTest {

  private static final Codec<String> JSON = TaskFixture.JSON;

  private final TaskFixture fixture = new TaskFixture();
  private final FakeHapax<ManualTiming> hapax = fixture.hapax;

  @AfterEach
  void close() {
    fixture.close();
  }

  private static dev.hapax.v1.Signal signal(String id, String type, String json) {
    return dev.hapax.v1.Signal.newBuilder()
        .setSignalId(id)
        .setType(type)
        .setPayload(Payload.newBuilder().setJson(json))
        .build();
  }

  @Test
  void goesOnWhereItFailed() {
    fixture.start(
        task -> {
          String a = task.record("a", JSON, fixture::once);
          if (fixture.executions.get() == 1) {
            throw new IOException("lost the connection");
          }
          return task.record("b", JSON, stepId -> fixture.once(stepId + a.length()));
        });

    assertThat(fixture.executions).hasValue(2);
    assertThat(fixture.done).containsExactly("a", "b15");
    assertThat(fixture.run().outputs).containsExactly("\"run_1.step0/b15\"");
    assertThat(hapax.faults.calls("record")).as("nothing is asked for").isEqualTo(2);
  }

  @Test
  @DisplayName("given records that did not fit into the task, then their pages are read once")
  void pages() {
    fixture.resume(
        () -> fixture.run().parts.page = 2,
        task -> {
          for (String name : List.of("a", "b", "c", "d", "e")) {
            task.record(name, JSON, fixture::once);
          }
          if (fixture.executions.get() == 1) {
            throw new IOException("again");
          }
          task.record("f", JSON, fixture::once);
          task.record("g", JSON, fixture::once);
          return "1";
        },
        UnaryOperator.identity());

    assertThat(fixture.done).hasSize(7).doesNotHaveDuplicates();
    assertThat(hapax.faults.calls("listRecords")).as("two pages beside the task").isEqualTo(2);
    assertThat(hapax.work.requests(RecordStepRequest.class)).hasSize(7);
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void aPartIsRecordedOnceThoughItsAnswerIsLost() {
    FakeHapax<SystemTiming> live = FakeHapax.live();
    live.faults.drop("record", 2);
    Worker worker =
        Hapax.builder()
            .channel(live.channel)
            .connect()
            .worker()
            .step(
                "orders",
                "order",
                "main",
                task -> new Value.Json(task.record("a", JSON, fixture::once)))
            .start();
    live.work.start("order", "orders/main");

    Conditions.until(() -> live.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);

    assertThat(fixture.done).hasSize(1);
    assertThat(live.work.requests(RecordStepRequest.class)).hasSize(3);
    worker.close();
    live.close();
  }

  @Test
  void aPartMayAnswerNothing() {
    fixture.start(
        task -> {
          task.record("a",Codec.none(), stepId -> null);
          task.suspend("s", Duration.ofSeconds(1));
          return task.record("b",JSON, stepId -> "null");
        });
    fixture.advance(Duration.ofSeconds(1));

    assertThat(fixture.run().outputs).containsExactly("null");
    assertThat(
            hapax.work.requests(RecordStepRequest.class).get(0).getParts(0).getOutput().getJson())
        .isEqualTo("null");
  }

  @Test
  void whatHapaxRefusesToRecordEndsTheRun() {
    fixture.start(task -> task.record("a", JSON, stepId -> "bad json"));

    assertThat(fixture.failures()).hasSize(1);
    assertThat(fixture.failures().get(0).getKind()).isEqualTo(FailureKind.FAILURE_KIND_FINAL);
  }

  @Test
  void sleepsWithoutAWorker() {
    fixture.start(
        task -> {
          task.record("a", JSON, fixture::once);
          task.suspend("night", Duration.ofHours(8));
          task.suspend("no", Duration.ZERO);
          return task.record("b", JSON, fixture::once);
        });
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_WAITING);

    fixture.advance(Duration.ofHours(8).minusMillis(1));
    assertThat(fixture.executions).hasValue(1);
    fixture.advance(Duration.ofMillis(1));

    assertThat(fixture.executions).hasValue(2);
    assertThat(fixture.done).containsExactly("a", "b");
    assertThat(fixture.run().attempt).isEqualTo(1);
    assertThat(hapax.work.requests(SuspendTaskRequest.class)).hasSize(1);
    assertThat(hapax.faults.calls("heartbeat")).isZero();
  }

  @Test
  void aSleepIsMeasuredByHapaxWhateverTheClockOfTheWorker() {
    TimingClock clock = new TimingClock(hapax.timing);
    fixture.start(
        task -> {
          task.suspend("night", Duration.ofHours(8));
          clock.off(Duration.ofHours(-100));
          task.suspend("another", Duration.ofHours(8));
          clock.off(Duration.ofHours(100));
          return "1";
        },
        builder -> builder.clock(clock));

    fixture.advance(Duration.ofHours(8));
    assertThat(fixture.executions).hasValue(2);
    fixture.advance(Duration.ofHours(8).minusMillis(1));
    assertThat(fixture.executions).hasValue(2);
    fixture.advance(Duration.ofMillis(1));

    assertThat(fixture.executions).hasValue(3);
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void aWorkerThatDiedBeforeItSleptSleepsTheRest() {
    hapax.faults.before("suspend", () -> hapax.work.takeAway("run_1"));
    fixture.start(
        task -> {
          task.suspend("night", Duration.ofHours(8));
          return "1";
        });
    assertThat(fixture.executions).as("once more, as the first was too late").hasValue(2);
    assertThat(fixture.run().attempt).isEqualTo(2);

    fixture.advance(Duration.ofHours(8));

    assertThat(fixture.executions).hasValue(3);
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void anAttemptAfterASleepDoesNotSleepAgain() {
    fixture.start(
        task -> {
          task.suspend("night", Duration.ofHours(8));
          if (fixture.executions.get() == 2) {
            throw new IOException("again");
          }
          return "1";
        });

    fixture.advance(Duration.ofHours(8));

    assertThat(fixture.executions).hasValue(3);
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void awaitsASignalAndConsumesIt() {
    fixture.start(
        task -> {
          String first = task.awaitSignal("go", JSON);
          String second =
              task.awaitSignal(Wait.signal("again", JSON).type("go"));
          return "[" + first + "," + second + "]";
        });
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    fixture.signal(signal("1", "other", "1"));
    assertThat(fixture.executions).hasValue(1);

    fixture.signal(signal("2", "go", "2"));
    assertThat(fixture.executions).hasValue(2);
    fixture.signal(signal("3", "go", "3"));

    assertThat(fixture.run().outputs).containsExactly("[2,3]");
    assertThat(fixture.run().inbox).extracting(dev.hapax.v1.Signal::getSignalId).containsExactly("1");
    assertThat(hapax.work.requests(RecordStepRequest.class))
        .extracting(request -> request.getParts(0).getName())
        .containsExactly("go", "again");
  }

  @Test
  void signalsThatAreThereAlreadyCostNoWait() {
    fixture.resume(
        () -> {
          hapax.work.signal("run_1", signal("1", "other", "1"));
          hapax.work.signal("run_1", signal("2", "go", "2"));
        },
        task ->
            task.awaitSignal("go", JSON)
                + task.awaitSignal(Wait.signal("more", JSON).type("other")),
        UnaryOperator.identity());

    assertThat(fixture.executions).hasValue(1);
    assertThat(fixture.run().outputs).containsExactly("21");
    assertThat(fixture.run().inbox).isEmpty();
  }

  @Test
  void awaitsASignalForATime() {
    fixture.start(
        task -> {
          Optional<String> answer =
              task.awaitSignal(
                  Wait.signal("approval", JSON).type("approved"), Duration.ofDays(3));
          task.suspend("pause", Duration.ofDays(1));
          return answer.orElse("\"no answer\"");
        });

    fixture.advance(Duration.ofDays(3));
    assertThat(fixture.executions).hasValue(2);
    fixture.signal(signal("late", "approved", "true"));
    fixture.advance(Duration.ofDays(1));

    assertThat(fixture.run().outputs).as("what came later does not count").containsExactly("\"no answer\"");
    assertThat(fixture.run().inbox).hasSize(1);
  }

  @Test
  void aSignalInTimeEndsTheWait() {
    fixture.start(
        task ->
            task.awaitSignal(
                  Wait.signal("approval", JSON).type("approved"), Duration.ofDays(3))
                .orElse("\"none\""));

    fixture.advance(Duration.ofDays(2));
    fixture.signal(signal("s", "approved", "true"));

    assertThat(fixture.run().outputs).containsExactly("true");
    fixture.advance(Duration.ofDays(2));
    assertThat(fixture.executions).hasValue(2);
  }

  @Test
  void patchesTheStateWhereAnExecutionEnds() {
    fixture.start(
        task -> {
          task.patchState("phase", new Value.Json("\"waiting\""));
          task.suspend("night", Duration.ofHours(8));
          task.patchState("phase", new Value.Json("\"done\""));
          task.patchState("a \"b\"", new Value.Json("1"));
          return task.state(JSON);
        });
    fixture.advance(Duration.ofHours(8));

    assertThat(fixture.run().patches)
        .containsExactly("{\"phase\":\"waiting\"}", "{\"phase\":\"done\",\"a \\\"b\\\"\":1}");
    assertThat(fixture.run().outputs).containsExactly("{}");
  }

  @Test
  void codeThatCatchesTheWaitWaitsAllTheSame() {
    fixture.start(
        task -> {
          try {
            task.suspend("night", Duration.ofHours(8));
          } catch (Error caught) {
            fixture.done.add("caught");
          }
          try {
            task.record("after", JSON, fixture::once);
          } catch (Error caught) {
            fixture.done.add("again");
          }
          return fixture.executions.get() == 1 ? "\"too early\"" : "1";
        });
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    assertThat(fixture.done).containsExactly("caught", "again");

    fixture.advance(Duration.ofHours(8));

    assertThat(fixture.run().outputs).containsExactly("1");
  }

  @Test
  void aLostTaskEndsItsExecution() {
    fixture.start(
        task -> {
          task.record("a", JSON, fixture::once);
          hapax.work.cancel("run_1");
          task.record("b", JSON, fixture::once);
          fixture.done.add("never");
          return "1";
        });

    assertThat(fixture.done).containsExactly("a", "b");
    assertThat(fixture.failures()).isEmpty();
    assertThat(fixture.run().outputs).isEmpty();
  }

  @Test
  @DisplayName("given a step whose body runs, then the task is not completed in a transaction")
  void transactionBesideStep() throws Exception {
    FakeDatabase database = new FakeDatabase(hapax.work::completeInTransaction);
    try (Connection connection = database.connection()) {
      fixture.start(
          task ->
              task.record(
                  "slow",
                  JSON, stepId -> {
                    assertThatIllegalStateException()
                        .isThrownBy(() -> task.claim().completeIn(connection, 1));
                    return fixture.once(stepId);
                  }));
    }

    assertThat(fixture.done).hasSize(1);
    assertThat(fixture.run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(database.log()).isEmpty();
  }
}
