package dev.hapax.client.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.hapax.client.Conditions;
import dev.hapax.client.FakeDatabase;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.FakeRun;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.TimingClock;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SuspendTaskRequest;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All in the thread of the test; a run begins when a worker is there, and time stands still. */
@Timeout(60)
class WorkflowTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final List<String> done = new ArrayList<>();
  private final AtomicInteger executions = new AtomicInteger();

  @AfterEach
  void close() {
    hapax.close();
  }

  private String start(Workflow<String> workflow) {
    worker(workflow, new TimingClock(hapax.timing));
    return hapax.work.start("order", "orders/main");
  }

  private Worker worker(Workflow<String> workflow, TimingClock clock) {
    return hapax
        .worker()
        .executor(Runnable::run)
        .clock(clock)
        .workflow(
            "orders",
            "order",
            "main",
            PayloadCodec.json(),
            context -> {
              executions.incrementAndGet();
              return workflow.run(context);
            })
        .start();
  }

  private String once(String stepId) {
    done.add(stepId);
    return "\"" + stepId + "\"";
  }

  private FakeRun run() {
    return hapax.work.run("run_1");
  }

  private List<FailTaskRequest> failures() {
    return hapax.work.requests(FailTaskRequest.class);
  }

  private static Signal signal(String id, String type, String json) {
    return Signal.newBuilder()
        .setSignalId(id)
        .setType(type)
        .setPayload(Payload.newBuilder().setJson(json))
        .build();
  }

  @Test
  void goesOnWhereItFailed() {
    start(
        context -> {
          String a = context.record("a", this::once);
          if (executions.get() == 1) {
            throw new IOException("lost the connection");
          }
          return context.record("b", stepId -> once(stepId + a.length()));
        });

    assertThat(executions).hasValue(2);
    assertThat(done).containsExactly("run_1.step0/a", "run_1.step0/b15");
    assertThat(run().outputs).containsExactly("\"run_1.step0/b15\"");
    assertThat(hapax.faults.calls("record")).as("nothing is asked for").isEqualTo(2);
  }

  @Test
  @DisplayName("given records that did not fit into the task, then their pages are read once")
  void pages() {
    hapax.faults.before(
        "poll",
        () -> {
          hapax.work.start("order", "orders/main");
          run().parts.page = 2;
        });
    worker(
        context -> {
          for (String name : List.of("a", "b", "c", "d", "e")) {
            context.record(name, this::once);
          }
          if (executions.get() == 1) {
            throw new IOException("again");
          }
          context.record("f", this::once);
          context.record("g", this::once);
          return "1";
        },
        new TimingClock(hapax.timing));

    assertThat(done).hasSize(7).doesNotHaveDuplicates();
    assertThat(hapax.faults.calls("listRecords")).as("two pages beside the task").isEqualTo(2);
    assertThat(hapax.work.requests(RecordStepRequest.class)).hasSize(7);
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void aPartIsRecordedOnceThoughItsAnswerIsLost() {
    hapax.faults.drop("record", 2);
    FakeHapax<SystemTiming> live = FakeHapax.live();
    live.faults.drop("record", 2);
    Worker worker =
        live.worker()
            .workflow(
                "orders",
                "order",
                "main",
                PayloadCodec.json(),
                context -> context.record("a", this::once))
            .start();
    live.work.start("order", "orders/main");

    Conditions.until(() -> live.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);

    assertThat(done).hasSize(1);
    assertThat(live.work.requests(RecordStepRequest.class)).hasSize(3);
    worker.close();
    live.close();
  }

  @Test
  void aPartMayAnswerNothing() {
    start(
        context -> {
          context.record("a", PayloadCodec.none(), stepId -> null);
          context.suspend("s", Duration.ofSeconds(1));
          return context.record("b", PayloadCodec.json(), stepId -> "null");
        });
    hapax.timing.advance(Duration.ofSeconds(1));

    assertThat(run().outputs).containsExactly("null");
    assertThat(
            hapax.work.requests(RecordStepRequest.class).get(0).getParts(0).getOutput().getJson())
        .isEqualTo("null");
  }

  @Test
  void whatHapaxRefusesToRecordEndsTheRun() {
    start(context -> context.record("a", stepId -> "bad json"));

    assertThat(failures()).hasSize(1);
    assertThat(failures().get(0).getKind()).isEqualTo(FailureKind.FAILURE_KIND_FINAL);
  }

  @Test
  void sleepsWithoutAWorker() {
    start(
        context -> {
          context.record("a", this::once);
          context.suspend("night", Duration.ofHours(8));
          context.suspend("no", Duration.ZERO);
          return context.record("b", this::once);
        });
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_WAITING);

    hapax.timing.advance(Duration.ofHours(8).minusMillis(1));
    assertThat(executions).hasValue(1);
    hapax.timing.advance(Duration.ofMillis(1));

    assertThat(executions).hasValue(2);
    assertThat(done).containsExactly("run_1.step0/a", "run_1.step0/b");
    assertThat(run().attempt).isEqualTo(1);
    assertThat(hapax.work.requests(SuspendTaskRequest.class)).hasSize(1);
    assertThat(hapax.faults.calls("heartbeat")).isZero();
  }

  @Test
  void aSleepIsMeasuredByHapaxWhateverTheClockOfTheWorker() {
    TimingClock clock = new TimingClock(hapax.timing);
    worker(
        context -> {
          context.suspend("night", Duration.ofHours(8));
          clock.off(Duration.ofHours(-100));
          context.suspend("another", Duration.ofHours(8));
          clock.off(Duration.ofHours(100));
          return "1";
        },
        clock);
    hapax.work.start("order", "orders/main");

    hapax.timing.advance(Duration.ofHours(8));
    assertThat(executions).hasValue(2);
    hapax.timing.advance(Duration.ofHours(8).minusMillis(1));
    assertThat(executions).hasValue(2);
    hapax.timing.advance(Duration.ofMillis(1));

    assertThat(executions).hasValue(3);
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void aWorkerThatDiedBeforeItSleptSleepsTheRest() {
    hapax.faults.before("suspend", () -> hapax.work.takeAway("run_1"));
    start(
        context -> {
          context.suspend("night", Duration.ofHours(8));
          return "1";
        });
    assertThat(executions).as("once more, as the first was too late").hasValue(2);
    assertThat(run().attempt).isEqualTo(2);

    hapax.timing.advance(Duration.ofHours(8));

    assertThat(executions).hasValue(3);
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void anAttemptAfterASleepDoesNotSleepAgain() {
    start(
        context -> {
          context.suspend("night", Duration.ofHours(8));
          if (executions.get() == 2) {
            throw new IOException("again");
          }
          return "1";
        });

    hapax.timing.advance(Duration.ofHours(8));

    assertThat(executions).hasValue(3);
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void awaitsASignalAndConsumesIt() {
    start(
        context -> {
          String first = context.awaitSignal("go", PayloadCodec.json());
          String second =
              context.awaitSignal("again", AwaitedSignal.ofType("go"), PayloadCodec.json());
          return "[" + first + "," + second + "]";
        });
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    hapax.work.signal("run_1", signal("1", "other", "1"));
    assertThat(executions).hasValue(1);

    hapax.work.signal("run_1", signal("2", "go", "2"));
    assertThat(executions).hasValue(2);
    hapax.work.signal("run_1", signal("3", "go", "3"));

    assertThat(run().outputs).containsExactly("[2,3]");
    assertThat(run().inbox).extracting(Signal::getSignalId).containsExactly("1");
    assertThat(hapax.work.requests(RecordStepRequest.class))
        .extracting(request -> request.getParts(0).getName())
        .containsExactly("go", "again");
  }

  @Test
  void signalsThatAreThereAlreadyCostNoWait() {
    hapax.faults.before(
        "poll",
        () -> {
          hapax.work.start("order", "orders/main");
          hapax.work.signal("run_1", signal("1", "", "1"));
          hapax.work.signal("run_1", signal("2", "go", "2"));
        });
    worker(
        context ->
            context.awaitSignal("go", PayloadCodec.json())
                + context.awaitSignal("any", AwaitedSignal.any(), PayloadCodec.json()),
        new TimingClock(hapax.timing));

    assertThat(executions).hasValue(1);
    assertThat(run().outputs).containsExactly("21");
    assertThat(run().inbox).isEmpty();
  }

  @Test
  void awaitsASignalForATime() {
    start(
        context -> {
          Optional<String> answer =
              context.awaitSignal(
                  "approval",
                  AwaitedSignal.ofType("approved"),
                  PayloadCodec.json(),
                  Duration.ofDays(3));
          context.suspend("pause", Duration.ofDays(1));
          return answer.orElse("\"no answer\"");
        });

    hapax.timing.advance(Duration.ofDays(3));
    assertThat(executions).hasValue(2);
    hapax.work.signal("run_1", signal("late", "approved", "true"));
    hapax.timing.advance(Duration.ofDays(1));

    assertThat(run().outputs).as("what came later does not count").containsExactly("\"no answer\"");
    assertThat(run().inbox).hasSize(1);
  }

  @Test
  void aSignalInTimeEndsTheWait() {
    start(
        context ->
            context
                .awaitSignal(
                    "approval",
                    AwaitedSignal.ofType("approved"),
                    PayloadCodec.json(),
                    Duration.ofDays(3))
                .orElse("\"none\""));

    hapax.timing.advance(Duration.ofDays(2));
    hapax.work.signal("run_1", signal("s", "approved", "true"));

    assertThat(run().outputs).containsExactly("true");
    hapax.timing.advance(Duration.ofDays(2));
    assertThat(executions).hasValue(2);
  }

  @Test
  void patchesTheStateWhereAnExecutionEnds() {
    start(
        context -> {
          context.patchState("phase", "\"waiting\"");
          context.suspend("night", Duration.ofHours(8));
          context.patchState("phase", "\"done\"");
          context.patchState("a \"b\"", "1");
          return context.state();
        });
    hapax.timing.advance(Duration.ofHours(8));

    assertThat(run().patches)
        .containsExactly("{\"phase\":\"waiting\"}", "{\"phase\":\"done\",\"a \\\"b\\\"\":1}");
    assertThat(run().outputs).containsExactly("{}");
  }

  @Test
  void codeThatCatchesTheWaitWaitsAllTheSame() {
    start(
        context -> {
          try {
            context.suspend("night", Duration.ofHours(8));
          } catch (Error caught) {
            done.add("caught");
          }
          try {
            context.record("after", this::once);
          } catch (Error caught) {
            done.add("again");
          }
          return executions.get() == 1 ? "\"too early\"" : "1";
        });
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    assertThat(done).containsExactly("caught", "again");

    hapax.timing.advance(Duration.ofHours(8));

    assertThat(run().outputs).containsExactly("1");
  }

  @Test
  void aLostTaskEndsItsExecution() {
    start(
        context -> {
          context.record("a", this::once);
          hapax.work.cancel("run_1");
          context.record("b", this::once);
          done.add("never");
          return "1";
        });

    assertThat(done).containsExactly("run_1.step0/a", "run_1.step0/b");
    assertThat(failures()).isEmpty();
    assertThat(run().outputs).isEmpty();
  }

  @Test
  @DisplayName("given a step whose body runs, then the task is not completed in a transaction")
  void transactionBesideStep() throws Exception {
    FakeDatabase database = new FakeDatabase(hapax.work::completeInTransaction);
    try (Connection connection = database.connection()) {
      Completion completion = Completion.of(PayloadCodec.json(), "1");
      start(
          context ->
              context.record(
                  "slow",
                  stepId -> {
                    assertThatIllegalStateException()
                        .isThrownBy(() -> context.task().complete(connection, completion));
                    return once(stepId);
                  }));
    }

    assertThat(done).hasSize(1);
    assertThat(run().status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(database.log()).isEmpty();
  }
}
