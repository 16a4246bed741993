package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.internal.HandlerThreads;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TaskBranchesTest {

  private static final Codec<String> JSON = TaskFixture.JSON;

  private final TaskFixture fixture = new TaskFixture();
  private final FakeHapax<SystemTiming> live = FakeHapax.live();
  private final Hapax client = Hapax.builder().channel(live.channel).connect();

  @AfterEach
  void close() {
    fixture.close();
    live.close();
  }

  /** Runs a workflow on these threads, until it has ended. */
  private void run(Executor executor, RunStatus end, TaskFixture.Code workflow) {
    var worker =
        client.worker()
            .executor(executor)
            .step("orders", "order", "main", task -> new Value.Json(workflow.run(task)))
            .start();
    live.work.start("order", "orders/main");
    Conditions.until(() -> live.work.run(TaskFixture.RUN).status == end);
    worker.close();
  }

  private static Executor threads() {
    return HandlerThreads.of(64);
  }

  private String price(Task branch, String item) {
    var unused = branch.record("price", JSON, fixture::once);
    return branch.record("price", JSON, fixture::once) + item;
  }

  @Test
  @DisplayName("given branches, then their parts have names of their own, and values their order")
  void names() {
    fixture.start(
        task -> {
          List<String> values =
              task.map("item", List.of("b", "a"), item -> item, 1, this::price);
          task.suspend("wait", Duration.ofHours(1));
          values.addAll(task.map("item", List.of("a"), item -> item, this::price));
          return values.toString();
        });
    fixture.advance(Duration.ofHours(1));

    assertThat(fixture.done)
        .containsExactly(
            "item/b/price",
            "item/b/price#2",
            "item/a/price",
            "item/a/price#2",
            "item#2/a/price",
            "item#2/a/price#2");
    assertThat(fixture.run().outputs)
        .containsExactly(
            "[\"run_1.step0/item/b/price#2\"b, \"run_1.step0/item/a/price#2\"a,"
                + " \"run_1.step0/item#2/a/price#2\"a]");
  }

  @Test
  @DisplayName("given keys that are equal, empty or contain a slash, then the run ends")
  void keys() {
    for (List<String> keys : List.of(List.of("a", "a"), List.of(""), List.of("a/b"))) {
      try (var each = new TaskFixture()) {
        each.start(
            task ->
                task
                    .map("item", keys, key -> key, (branch, key) -> branch.record("p", JSON, each::once))
                    .toString());
        assertThat(each.failureCode()).isEqualTo("MAP_KEY_INVALID");
        assertThat(each.done).isEmpty();
      }
    }
  }

  @Test
  @DisplayName("given a wait in a branch, then the run ends")
  void waits() {
    fixture.start(
        task -> {
          var unused =
              task.map(
                  "item",
                  List.of("a"),
                  key -> key,
                  (branch, key) -> {
                    branch.suspend("wait", Duration.ofHours(1));
                    return key;
                  });
          return "1";
        });

    assertThat(fixture.failureCode()).isEqualTo("WAIT_IN_BRANCH");
  }

  @Test
  @DisplayName("given a failed branch, then no other begins, and the first failure is thrown")
  void failure() {
    fixture.start(
        task -> {
          try {
            return task
                .map(
                    "item",
                    List.of("a", "b", "c"),
                    key -> key,
                    1,
                    (branch, key) -> {
                      fixture.done.add(key);
                      if (key.equals("b")) {
                        throw new IOException(key);
                      }
                      return key;
                    })
                .toString();
          } catch (IOException failed) {
            return "\"failed " + failed.getMessage() + "\"";
          }
        });

    assertThat(fixture.done).containsExactly("a", "b");
    assertThat(fixture.run().outputs).containsExactly("\"failed b\"");
  }

  @Test
  @DisplayName("given settled branches, then a failure stops no other")
  void settled() {
    fixture.start(
        task ->
            "\""
                + task.mapSettled(
                    "item",
                    List.of("a", "b", "c"),
                    key -> key,
                    1,
                    (branch, key) ->
                        branch.record(
                            "pay",
                            JSON, partId -> {
                              if (key.equals("b")) {
                                throw new FinalFailure("DECLINED", "no");
                              }
                              return key;
                            }))
                + "\"");

    assertThat(fixture.run().outputs)
        .singleElement()
        .satisfies(
            output ->
                assertThat(output)
                    .matches(".*value=a.*exception=.*HapaxException.PartFailed: no.*value=c.*"));
  }

  @Test
  @DisplayName("given a branch that pauses, then no other begins, and the task is suspended")
  void pause() {
    fixture.start(
        task ->
            task
                .map(
                    "item",
                    List.of("a", "b", "c"),
                    key -> key,
                    1,
                    (branch, key) ->
                        branch.record(
                            "pay",
                            JSON, partId -> {
                              fixture.once(partId);
                              if (fixture.done.size() == 2) {
                                throw new IOException("again");
                              }
                              return key;
                            }))
                .toString());
    assertThat(fixture.done).containsExactly("item/a/pay", "item/b/pay");
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    fixture.advance(Duration.ofMinutes(1));

    assertThat(fixture.done)
        .containsExactly("item/a/pay", "item/b/pay", "item/b/pay", "item/c/pay");
    assertThat(fixture.run().outputs).containsExactly("[a, b, c]");
  }

  @Test
  @DisplayName("given branches on threads, then as many run at once as allowed")
  void concurrency() {
    var running = new AtomicInteger();
    var most = new AtomicInteger();
    var three = new CountDownLatch(3);
    run(
        threads(),
        RunStatus.RUN_STATUS_COMPLETED,
        task ->
            task
                .map(
                    "item",
                    IntStream.range(0, 30).boxed().toList(),
                    String::valueOf,
                    3,
                    (branch, item) -> {
                      most.accumulateAndGet(running.incrementAndGet(), Math::max);
                      three.countDown();
                      three.await();
                      running.decrementAndGet();
                      return String.valueOf(item);
                    })
                .toString());

    assertThat(most).hasValue(3);
  }

  @Test
  @DisplayName("given an executor without a free thread, then the calling thread runs the branches")
  void noThread() {
    run(
        HandlerThreads.bounded(1),
        RunStatus.RUN_STATUS_COMPLETED,
        task ->
            task
                .map(
                    "item",
                    List.of("a", "b"),
                    key -> key,
                    (branch, key) -> branch.record("pay", JSON, fixture::once))
                .toString());

    assertThat(fixture.done).containsExactly("item/a/pay", "item/b/pay");
  }

  @Test
  @DisplayName("given many results at once, then they share calls, and each is recorded once")
  void batches() {
    var slow = new CountDownLatch(99);
    live.faults.before(
        "record",
        () -> {
          try {
            slow.await();
          } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
          }
        });
    var items = IntStream.range(0, 100).boxed().toList();
    run(
        threads(),
        RunStatus.RUN_STATUS_COMPLETED,
        task -> {
          var unused =
              task.map(
                  "item",
                  items,
                  String::valueOf,
                  100,
                  (branch, item) ->
                      branch.record(
                          "pay",
                          JSON, partId -> {
                            slow.countDown();
                            return fixture.once(partId);
                          }));
          return "1";
        });

    assertThat(fixture.done).hasSize(100).doesNotHaveDuplicates();
    var requests = live.work.requests(RecordStepRequest.class);
    assertThat(requests.stream().mapToInt(RecordStepRequest::getPartsCount).sum()).isEqualTo(100);
    assertThat(requests).hasSizeLessThan(50);
  }

  @Test
  @DisplayName("given one bad result among others in a call, then only its part is rejected")
  void badEntry() {
    var both = new CountDownLatch(3);
    live.faults.before(
        "record",
        () -> {
          try {
            both.await();
          } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
          }
        });
    run(
        threads(),
        RunStatus.RUN_STATUS_FAILED,
        task ->
            task
                .map(
                    "item",
                    List.of("a", "b", "c"),
                    key -> key,
                    (branch, key) ->
                        branch.record(
                            "pay",
                            JSON, partId -> {
                              both.countDown();
                              return key.equals("b") ? "bad json" : "1";
                            }))
                .toString());

    var recorded = new ConcurrentHashMap<String, Integer>();
    live.work.requests(RecordStepRequest.class).stream()
        .flatMap(request -> request.getPartsList().stream())
        .forEach(part -> recorded.merge(part.getName(), 1, Integer::sum));
    assertThat(recorded).containsKeys("item/a/pay", "item/b/pay", "item/c/pay");
    assertThat(live.work.requests(FailTaskRequest.class))
        .singleElement()
        .satisfies(
            failed -> {
              assertThat(failed.getKind()).isEqualTo(FailureKind.FAILURE_KIND_FINAL);
              assertThat(failed.getFailure().getMessage())
                  .contains("part item/b/pay was not recorded");
            });
    assertThat(live.work.run(TaskFixture.RUN).parts.recorded)
        .containsOnlyKeys("item/a/pay", "item/c/pay");
  }

  @Test
  @DisplayName("given a short pause, then the worker waits in place and runs the body again")
  void hold() {
    var attempts = new AtomicInteger();
    var executions = new AtomicInteger();
    run(
        threads(),
        RunStatus.RUN_STATUS_COMPLETED,
        task -> {
          executions.incrementAndGet();
          live.work.run(TaskFixture.RUN).parts.pause = Duration.ofMillis(5);
          return task.record(
              "pay",
              JSON, partId -> {
                if (attempts.incrementAndGet() < 4) {
                  throw new IOException("again");
                }
                return "7";
              });
        });

    assertThat(attempts).hasValue(4);
    assertThat(executions).hasValue(1);
  }

  @Test
  @DisplayName("given a lost task, then a pause in place ends at once")
  void holdOfLostTask() {
    var run = live.work.run(live.work.start("order", "orders/main"));
    run.lease = Duration.ofMillis(300);
    run.parts.pause = Duration.ofSeconds(5);
    var lost = new CompletableFuture<HapaxException.ClaimLost>();
    var worker =
        client.worker()
            .step(
                "orders",
                "order",
                "main",
                task -> {
                  try {
                    return task.record(
                        "pay",
                        JSON, partId -> {
                          throw new IOException("again");
                        });
                  } catch (HapaxException.ClaimLost thrown) {
                    lost.complete(thrown);
                    throw thrown;
                  }
                })
            .start();
    Conditions.until(() -> live.faults.calls("heartbeat") > 0);
    live.work.cancel(run.id);

    assertThat(lost.join()).isNotNull();
    assertThat(live.work.requests(RecordStepRequest.class)).hasSize(1);
    worker.close();
  }
}
