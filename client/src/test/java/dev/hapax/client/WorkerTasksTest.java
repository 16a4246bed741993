package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers run in the thread of the test, and time stands still, unless a test says otherwise. */
@Timeout(60)
class WorkerTasksTest {

  private final TaskFixture fixture = new TaskFixture();
  private final FakeHapax<ManualTiming> hapax = fixture.hapax;
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    fixture.close();
  }

  private Worker.Builder worker() {
    return fixture.worker();
  }

  private void begin(Worker.Builder builder) {
    var unused = fixture.begin(builder);
  }

  private Value note(Task task) {
    handled.add(task.stepName());
    return new Value.Json("\"" + task.stepName() + "\"");
  }

  @Test
  void runsEachTaskOnce() {
    for (int i = 0; i < 100; i++) {
      fixture.run("orders/charge");
    }

    begin(worker().step("orders", "order", "charge", this::note));

    assertThat(handled).hasSize(100);
    assertThat(hapax.work.run("run_100").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(hapax.work.run("run_1").outputs).containsExactly("\"charge\"");
    assertThat(hapax.work.requests(CompleteTaskRequest.class)).hasSize(100);
    fixture.run("orders/charge");
    assertThat(handled).as("the poll that waits gets what comes").hasSize(101);
  }

  @Test
  void aRunOnOneWorkerNeedsOnePoll() {
    begin(worker().queue("orders", this::note));
    fixture.run("orders/a", "orders/b", "orders/c", "orders/d");

    assertThat(handled).containsExactly("a", "b", "c", "d");
    assertThat(hapax.work.polls()).as("and one that waits for the next run").hasSize(2);
    assertThat(hapax.work.run("run_1").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void eachStepHasItsHandlerAndAQueueHasOneForTheRest() {
    begin(worker()
        .step("orders", "order", "charge", task -> new Value.Json("\"own\""))
        .queue("orders", task -> new Value.Json("\"orders\""))
        .queue("mail", task -> new Value.Json("\"mail\""))
        );

    fixture.run("orders/charge", "orders/ship", "mail/tell");

    assertThat(hapax.work.run("run_1").outputs)
        .containsExactly("\"own\"", "\"orders\"", "\"mail\"");
    assertThat(hapax.work.polls().get(0).getQueuesList()).containsExactly("mail", "orders");
  }

  @Test
  void aStepWithoutAHandlerIsReleasedForAnotherWorker() {
    hapax.faults.drop("release", 1);
    begin(worker()
        .step("orders", "order", "charge", this::note)
        .step("orders", "order", "sends-on", task -> Result.release(Duration.ofMinutes(1)))
        );

    fixture.run("orders/sends-on");
    fixture.advance(Duration.ofSeconds(1));

    List<ReleaseTaskRequest> sent = hapax.work.requests(ReleaseTaskRequest.class);
    assertThat(sent).hasSize(2).containsOnly(sent.get(0));
    assertThat(sent.get(0).getDelay().getSeconds()).isEqualTo(60);
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
  }

  @Test
  void aStepWithoutAHandlerCostsNoAttempt() {
    begin(worker().step("orders", "order", "charge", this::note));
    hapax.faults.drop("release", 1);

    fixture.run("orders/unknown");

    assertThat(hapax.work.requests(ReleaseTaskRequest.class)).isNotEmpty();
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
  }

  @Test
  void aStepWithoutAHandlerIsOfferedLessAndLessOften() {
    begin(worker().step("orders", "order", "charge", this::note));
    fixture.run("orders/unknown");
    fixture.run("orders/unknown");

    fixture.advance(Duration.ofMinutes(20));

    assertThat(hapax.work.requests(ReleaseTaskRequest.class))
        .filteredOn(release -> release.getClaim().getId().startsWith("run_1"))
        .extracting(release -> release.getDelay().getSeconds())
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L, 300L);
  }

  @Test
  void twoHandlersOfOneStepAreAMistake() {
    Worker.Builder builder = worker().step("orders", "order", "charge", this::note);

    assertThatThrownBy(() -> builder.step("other", "order", "charge", this::note))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> worker().start()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theExceptionSaysWhetherItIsTriedAgain() {
    begin(worker()
        .step("orders", "order", "plain", task -> fail(new IOException("disk full")))
        .step("orders", "order", "final", task -> fail(new FinalFailure("DECLINED", "no money")))
        .step(
            "orders",
            "order",
            "wrapped",
            task -> fail(new IOException(new FinalFailure("DECLINED", "no money"))))
        .step(
            "orders",
            "order",
            "later",
            task -> fail(new RetryableFailure("CLOSED", "night", Duration.ofHours(8))))
        );
    for (String step : List.of("plain", "final", "wrapped", "later")) {
      fixture.run("orders/" + step);
    }

    List<FailTaskRequest> sent = hapax.work.requests(FailTaskRequest.class);
    assertThat(sent)
        .extracting(fail -> fail.getFailure().getCode())
        .startsWith("java.io.IOException")
        .contains("DECLINED", "CLOSED");
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(3);
    assertThat(hapax.work.run("run_2").attempt).isEqualTo(1);
    assertThat(hapax.work.run("run_2").status).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(hapax.work.run("run_3").attempt).as("also as a cause").isEqualTo(1);
    assertThat(hapax.work.run("run_4").attempt).as("not before 8 h are over").isEqualTo(2);
  }

  private static Value fail(Exception failure) throws Exception {
    throw failure;
  }

  @Test
  void sendsAPollAgainWithItsId() {
    fixture.run("orders/a");
    hapax.faults.drop("poll", 2);
    begin(worker().queue("orders", this::note));

    fixture.advance(Duration.ofSeconds(1));

    assertThat(handled).containsExactly("a");
    List<PollTasksRequest> polls = hapax.work.polls();
    assertThat(polls.subList(0, 3)).containsOnly(polls.get(0));
    assertThat(polls.get(0).getAttemptId()).isNotEmpty();
    assertThat(polls.get(3).getAttemptId()).isNotEqualTo(polls.get(0).getAttemptId());
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
  }

  @Test
  void sendsAnEndAgainUntilItIsAnswered() {
    hapax.faults.drop("completeTask", 2);
    begin(worker().queue("orders", this::note));
    fixture.run("orders/a", "orders/b");

    fixture.advance(Duration.ofSeconds(1));

    assertThat(handled).as("the next task is not lost with the answer").containsExactly("a", "b");
    assertThat(hapax.work.requests(CompleteTaskRequest.class).subList(0, 3))
        .containsOnly(hapax.work.requests(CompleteTaskRequest.class).get(0));
    assertThat(hapax.work.run("run_1").outputs).containsExactly("\"a\"", "\"b\"");
  }

  @Test
  void aFailureIsSentAgainToo() {
    hapax.faults.drop("failTask", 1);
    begin(worker().queue("orders", task -> fail(new FinalFailure("NO", ""))));
    fixture.run("orders/a");

    fixture.advance(Duration.ofSeconds(1));

    assertThat(hapax.work.requests(FailTaskRequest.class)).hasSize(2);
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
  }

  @Test
  void aLateEndCountsIfNoWorkerTookOver() {
    begin(worker()
        .queue(
            "orders",
            task -> {
              hapax.faults.down(true);
              return note(task);
            })
        );
    fixture.run("orders/a");
    fixture.advance(Duration.ofSeconds(45));
    hapax.faults.down(false);

    fixture.advance(Duration.ofSeconds(5));

    assertThat(handled).containsExactly("a");
    assertThat(hapax.work.run("run_1").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void whatHapaxRefusesToKeepIsNotDoneAgain() {
    begin(worker().queue("orders", task -> new Value.Json("bad json")));

    fixture.run("orders/a");

    FailTaskRequest sent = hapax.work.requests(FailTaskRequest.class).get(0);
    assertThat(sent.getKind()).isEqualTo(FailureKind.FAILURE_KIND_FINAL);
    assertThat(sent.getFailure().getCode()).isEqualTo("RESULT_REFUSED");
  }

  @Test
  void takesNoMoreThanItHasRoomFor() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger most = new AtomicInteger();
    FakeHapax<SystemTiming> live = FakeHapax.live();
    for (int i = 0; i < 20; i++) {
      live.work.start("order", "orders/a");
    }
    Worker worker =
        Hapax.builder().channel(live.channel).connect().worker()
            .concurrency(3)
            .queue(
                "orders",
                task -> {
                  most.accumulateAndGet(runs.incrementAndGet(), Math::max);
                  go.await();
                  runs.decrementAndGet();
                  return null;
                })
            .start();
    Conditions.until(() -> runs.get() == 3);
    assertThat(live.work.polls()).hasSize(1);
    assertThat(live.work.polls().get(0).getMaxTasks()).isEqualTo(3);

    go.countDown();
    Conditions.until(() -> live.work.run("run_20").status == RunStatus.RUN_STATUS_COMPLETED);

    assertThat(most.get()).isLessThanOrEqualTo(3);
    worker.close();
    live.close();
  }

  @Test
  void asksSlowlyIfPollsComeBackAtOnceWithNothing() {
    hapax.work.waits = false;
    begin(worker().queue("orders", this::note));

    fixture.advance(Duration.ofSeconds(10));

    assertThat(hapax.work.polls()).hasSizeBetween(50, 101);
  }

  @Test
  void triesAgainWhenPollsAreRefused() {
    hapax.faults.before(
        "poll",
        () -> {
          throw io.grpc.Status.PERMISSION_DENIED.asRuntimeException();
        });
    begin(worker().queue("orders", this::note));
    fixture.run("orders/a");
    assertThat(handled).isEmpty();

    fixture.advance(Duration.ofSeconds(5));

    assertThat(handled).containsExactly("a");
  }

  @Test
  void goesOnAfterHapaxWasAwayForLong() {
    begin(worker().queue("orders", this::note));
    hapax.faults.down(true);
    fixture.advance(Duration.ofHours(2));
    assertThat(fixture.client.connection().calls().isAway()).isTrue();
    fixture.run("orders/a");

    hapax.faults.down(false);
    fixture.advance(Duration.ofSeconds(2));

    assertThat(handled).containsExactly("a");
  }

  @Test
  void aHandlerSeesItsTask() {
    hapax.faults.before(
        "poll",
        () ->
            hapax.work.signal(
                fixture.run("orders/a"),
                dev.hapax.v1.Signal.newBuilder().setSignalId("s").setType("go").build()));
    List<Task> seen = new ArrayList<>();
    begin(worker()
        .queue(
            "orders",
            task -> {
              seen.add(task);
              task.patchState("a", new Value.Json("1"));
              return new Value.Json("1");
            })
        );

    Task task = seen.get(0);
    assertThat(task.stepId()).isEqualTo("run_1.step0");
    assertThat(task.stepName()).isEqualTo("a");
    assertThat(task.runId()).isEqualTo("run_1");
    assertThat(task.attempt()).isEqualTo(1);
    assertThat(task.claim().fence()).isEqualTo(101);
    assertThat(task.input(TaskFixture.JSON)).isEqualTo("{}");
    assertThat(task.state(TaskFixture.JSON)).isEqualTo("{}");
    assertThat(task.previousFailure()).isEmpty();
    assertThat(task.signals()).extracting(Signal::type).containsExactly("go");
    assertThat(hapax.work.run("run_1").patches).containsExactly("{\"a\":1}");
  }
}
