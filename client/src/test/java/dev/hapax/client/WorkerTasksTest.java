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
import dev.hapax.v1.Signal;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers run in the thread of the test, and time stands still, unless a test says otherwise. */
@Timeout(60)
class WorkerTasksTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final List<String> handled = new ArrayList<>();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    hapax.close();
  }

  private WorkerBuilder worker() {
    return hapax.worker().executor(Runnable::run);
  }

  private TaskResult note(Task task) {
    handled.add(task.stepName());
    return Completion.of(JSON, "\"" + task.stepName() + "\"");
  }

  @Test
  void runsEachTaskOnce() {
    for (int i = 0; i < 100; i++) {
      hapax.work.start("order", "orders/charge");
    }

    worker().handle("orders", "order", "charge", this::note).start();

    assertThat(handled).hasSize(100);
    assertThat(hapax.work.run("run_100").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(hapax.work.run("run_1").outputs).containsExactly("\"charge\"");
    assertThat(hapax.work.requests(CompleteTaskRequest.class)).hasSize(100);
    hapax.work.start("order", "orders/charge");
    assertThat(handled).as("the poll that waits gets what comes").hasSize(101);
  }

  @Test
  void aRunOnOneWorkerNeedsOnePoll() {
    worker().handleQueue("orders", this::note).start();
    hapax.work.start("order", "orders/a", "orders/b", "orders/c", "orders/d");

    assertThat(handled).containsExactly("a", "b", "c", "d");
    assertThat(hapax.work.polls()).as("and one that waits for the next run").hasSize(2);
    assertThat(hapax.work.run("run_1").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void aPollDoesNotInheritTheContextOfTheLastAnswer() {
    var answers = Context.keyWithDefault("answers", 0);
    var answersBeforePolls = new ArrayList<Integer>();
    ClientInterceptor counting =
        new ClientInterceptor() {
          @Override
          public <Q, R> ClientCall<Q, R> interceptCall(
              MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            int seen = answers.get();
            if ("PollTasks".equals(method.getBareMethodName())) {
              answersBeforePolls.add(seen);
            }
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
              @Override
              public void start(Listener<R> listener, Metadata headers) {
                super.start(
                    new SimpleForwardingClientCallListener<>(listener) {
                      @Override
                      public void onClose(Status status, Metadata trailers) {
                        Context.current()
                            .withValue(answers, seen + 1)
                            .run(() -> super.onClose(status, trailers));
                      }
                    },
                    headers);
              }
            };
          }
        };
    hapax
        .client(
            ClientInterceptors.intercept(hapax.channel, counting),
            options -> options.withTryTimeout(Duration.ofSeconds(5)))
        .newWorker()
        .executor(Runnable::run)
        .handleQueue("orders", this::note)
        .start();

    for (int i = 0; i < 5; i++) {
      hapax.work.start("order", "orders/charge");
    }

    assertThat(answersBeforePolls).hasSizeGreaterThan(5).containsOnly(0);
  }

  @Test
  void eachStepHasItsHandlerAndAQueueHasOneForTheRest() {
    worker()
        .handle("orders", "order", "charge", task -> Completion.of(JSON, "\"own\""))
        .handleQueue("orders", task -> Completion.of(JSON, "\"orders\""))
        .handleQueue("mail", task -> Completion.of(JSON, "\"mail\""))
        .start();

    hapax.work.start("order", "orders/charge", "orders/ship", "mail/tell");

    assertThat(hapax.work.run("run_1").outputs)
        .containsExactly("\"own\"", "\"orders\"", "\"mail\"");
    assertThat(hapax.work.polls().get(0).getQueuesList()).containsExactly("mail", "orders");
  }

  @Test
  void aStepWithoutAHandlerIsReleasedForAnotherWorker() {
    hapax.faults.drop("release", 1);
    worker()
        .handle("orders", "order", "charge", this::note)
        .handle("orders", "order", "sends-on", task -> Release.after(Duration.ofMinutes(1)))
        .start();

    hapax.work.start("order", "orders/sends-on");
    hapax.timing.advance(Duration.ofSeconds(1));

    List<ReleaseTaskRequest> sent = hapax.work.requests(ReleaseTaskRequest.class);
    assertThat(sent).hasSize(2).containsOnly(sent.get(0));
    assertThat(sent.get(0).getDelay().getSeconds()).isEqualTo(60);
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
  }

  @Test
  void aStepWithoutAHandlerCostsNoAttempt() {
    worker().handle("orders", "order", "charge", this::note).start();
    hapax.faults.drop("release", 1);

    hapax.work.start("order", "orders/unknown");

    assertThat(hapax.work.requests(ReleaseTaskRequest.class)).isNotEmpty();
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
  }

  @Test
  void aStepWithoutAHandlerIsOfferedLessAndLessOften() {
    worker().handle("orders", "order", "charge", this::note).start();
    hapax.work.start("order", "orders/unknown");
    hapax.work.start("order", "orders/unknown");

    hapax.timing.advance(Duration.ofMinutes(20));

    assertThat(hapax.work.requests(ReleaseTaskRequest.class))
        .filteredOn(release -> release.getClaim().getId().startsWith("run_1"))
        .extracting(release -> release.getDelay().getSeconds())
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L, 300L);
  }

  @Test
  void twoHandlersOfOneStepAreAMistake() {
    WorkerBuilder builder = worker().handle("orders", "order", "charge", this::note);

    assertThatThrownBy(() -> builder.handle("other", "order", "charge", this::note))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> worker().start()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theExceptionSaysWhetherItIsTriedAgain() {
    worker()
        .handle("orders", "order", "plain", task -> fail(new IOException("disk full")))
        .handle("orders", "order", "final", task -> fail(new FinalFailure("DECLINED", "no money")))
        .handle(
            "orders",
            "order",
            "wrapped",
            task -> fail(new IOException(new FinalFailure("DECLINED", "no money"))))
        .handle(
            "orders",
            "order",
            "later",
            task -> fail(new RetryableFailure("CLOSED", "night", Duration.ofHours(8))))
        .handle("orders", "order", "null", task -> nothing())
        .start();
    for (String step : List.of("plain", "final", "wrapped", "later", "null")) {
      hapax.work.start("order", "orders/" + step);
    }

    List<FailTaskRequest> sent = hapax.work.requests(FailTaskRequest.class);
    assertThat(sent)
        .extracting(fail -> fail.getFailure().getCode())
        .startsWith("java.io.IOException")
        .contains("DECLINED", "CLOSED", "java.lang.NullPointerException");
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(3);
    assertThat(hapax.work.run("run_2").attempt).isEqualTo(1);
    assertThat(hapax.work.run("run_2").status).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(hapax.work.run("run_3").attempt).as("also as a cause").isEqualTo(1);
    assertThat(hapax.work.run("run_4").attempt).as("not before 8 h are over").isEqualTo(2);
  }

  private static TaskResult fail(Exception failure) throws Exception {
    throw failure;
  }

  @SuppressWarnings("NullAway") // what a handler should not do
  private static TaskResult nothing() {
    return null;
  }

  @Test
  void theClassifierDecidesWhatTheExceptionDoesNotSay() {
    worker()
        .failures(FailureClassifier.byStatus())
        .handleQueue("orders", task -> fail(io.grpc.Status.NOT_FOUND.asRuntimeException()))
        .start();

    hapax.work.start("order", "orders/charge");

    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
    assertThat(hapax.work.run("run_1").status).isEqualTo(RunStatus.RUN_STATUS_FAILED);
  }

  @Test
  void sendsAPollAgainWithItsId() {
    hapax.work.start("order", "orders/a");
    hapax.faults.drop("poll", 2);
    worker().handleQueue("orders", this::note).start();

    hapax.timing.advance(Duration.ofSeconds(1));

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
    worker().handleQueue("orders", this::note).start();
    hapax.work.start("order", "orders/a", "orders/b");

    hapax.timing.advance(Duration.ofSeconds(1));

    assertThat(handled).as("the next task is not lost with the answer").containsExactly("a", "b");
    assertThat(hapax.work.requests(CompleteTaskRequest.class).subList(0, 3))
        .containsOnly(hapax.work.requests(CompleteTaskRequest.class).get(0));
    assertThat(hapax.work.run("run_1").outputs).containsExactly("\"a\"", "\"b\"");
  }

  @Test
  void aFailureIsSentAgainToo() {
    hapax.faults.drop("failTask", 1);
    worker().handleQueue("orders", task -> fail(new FinalFailure("NO", ""))).start();
    hapax.work.start("order", "orders/a");

    hapax.timing.advance(Duration.ofSeconds(1));

    assertThat(hapax.work.requests(FailTaskRequest.class)).hasSize(2);
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
  }

  @Test
  void aLateEndCountsIfNoWorkerTookOver() {
    worker()
        .handleQueue(
            "orders",
            task -> {
              hapax.faults.down(true);
              return note(task);
            })
        .start();
    hapax.work.start("order", "orders/a");
    hapax.timing.advance(Duration.ofSeconds(45));
    hapax.faults.down(false);

    hapax.timing.advance(Duration.ofSeconds(5));

    assertThat(handled).containsExactly("a");
    assertThat(hapax.work.run("run_1").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void whatHapaxRefusesToKeepIsNotDoneAgain() {
    worker().handleQueue("orders", task -> Completion.of(JSON, "bad json")).start();

    hapax.work.start("order", "orders/a");

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
        live.worker()
            .concurrency(3)
            .handleQueue(
                "orders",
                task -> {
                  most.accumulateAndGet(runs.incrementAndGet(), Math::max);
                  go.await();
                  runs.decrementAndGet();
                  return Completion.empty();
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
    worker().handleQueue("orders", this::note).start();

    hapax.timing.advance(Duration.ofSeconds(10));

    assertThat(hapax.work.polls()).hasSizeBetween(50, 101);
  }

  @Test
  void triesAgainWhenPollsAreRefused() {
    hapax.faults.before(
        "poll",
        () -> {
          throw io.grpc.Status.PERMISSION_DENIED.asRuntimeException();
        });
    worker().handleQueue("orders", this::note).start();
    hapax.work.start("order", "orders/a");
    assertThat(handled).isEmpty();

    hapax.timing.advance(Duration.ofSeconds(5));

    assertThat(handled).containsExactly("a");
  }

  @Test
  void goesOnAfterHapaxWasAwayForLong() {
    hapax.faults.down(true);
    worker().handleQueue("orders", this::note).start();
    hapax.timing.advance(Duration.ofHours(2));
    hapax.work.start("order", "orders/a");

    hapax.faults.down(false);
    hapax.timing.advance(Duration.ofSeconds(2));

    assertThat(handled).containsExactly("a");
  }

  @Test
  void aHandlerSeesItsTask() {
    hapax.faults.before(
        "poll",
        () ->
            hapax.work.signal(
                hapax.work.start("order", "orders/a"),
                Signal.newBuilder().setSignalId("s").setType("go").build()));
    List<Task> seen = new ArrayList<>();
    worker()
        .handleQueue(
            "orders",
            task -> {
              seen.add(task);
              return Completion.of(JSON, "1")
                  .withStatePatch("{\"a\":1}")
                  .consuming(task.signals().get(0));
            })
        .start();

    Task task = seen.get(0);
    assertThat(task.stepId()).isEqualTo("run_1.step0");
    assertThat(task.stepName()).isEqualTo("a");
    assertThat(task.runId()).isEqualTo("run_1");
    assertThat(task.attempt()).isEqualTo(1);
    assertThat(task.fence()).isEqualTo(101);
    assertThat(task.input(JSON)).isEqualTo("{}");
    assertThat(task.state()).isEqualTo("{}");
    assertThat(task.previousFailure()).isEmpty();
    assertThat(hapax.work.run("run_1").inbox).isEmpty();
    assertThat(hapax.work.run("run_1").patches).containsExactly("{\"a\":1}");
  }

  @Test
  void aHandlerMaySuspendItsStep() {
    worker()
        .handleQueue(
            "orders",
            task ->
                runs.incrementAndGet() == 1
                    ? Suspension.during(Duration.ofHours(1)).orSignal(AwaitedSignal.ofType("go"))
                    : note(task))
        .start();
    hapax.work.start("order", "orders/a");

    hapax.timing.advance(Duration.ofMinutes(59));
    assertThat(runs).hasValue(1);
    hapax.timing.advance(Duration.ofMinutes(1));

    assertThat(runs).hasValue(2);
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
  }
}
