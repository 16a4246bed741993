package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StepDefinition;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two workers of the examples in Node work orders while servers, workers and connections die. */
@Tag("long")
class NodeWorkerFaultsIT {
  private static final Duration SHORT = Duration.ofSeconds(30);
  private static final Duration LONG =
      Duration.ofSeconds(Long.getLong("hapax.node-faults.seconds", 3_600));

  private static final Duration BETWEEN_ORDERS = Duration.ofMillis(400);
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir private Path folder = Path.of("");

  private enum Fault {
    CUT_ANSWER,
    CUT_CONNECTIONS,
    KILL_SERVER,
    DROP_DATABASE_CONNECTIONS,
    KILL_WORKER,
    FREEZE_WORKER,
    DRAIN_WORKER
  }

  @BeforeAll
  static void install() throws IOException {
    Npm.prepare();
  }

  @Test
  @Tag("fault")
  @DisplayName("each order is charged under one key and completes once, whatever dies meanwhile")
  void survives() throws IOException {
    survive(SHORT);
  }

  @Test
  @Tag("soak")
  @DisplayName("each order is charged under one key and completes once, for an hour of faults")
  void survivesForLong() throws IOException {
    survive(LONG);
  }

  private void survive(Duration duration) throws IOException {
    try (var deployment = Deployment.start();
        var direct = RunCaller.to(deployment.target());
        var scene = new Scene(deployment, direct, folder.resolve("ledger"))) {
      direct.define("order", step("reserve"), step("charge"), step("ship"));
      var orders = new LinkedHashMap<String, String>();
      var faults =
          CompletableFuture.runAsync(() -> scene.harm(duration), Thread::startVirtualThread);
      while (!faults.isDone()) {
        var order = "order-" + orders.size();
        orders.put(order, scene.start(order));
        LockSupport.parkNanos(BETWEEN_ORDERS.toNanos());
      }
      faults.join();
      scene.assertHarmed();
      scene.assertEachEndsOnce(orders);
      scene.assertWorkersDrain();
    }
  }

  /** Each fault may cost an attempt. */
  private static StepDefinition step(String name) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setTask(
            RunCaller.work(Caller.seconds(LEASE.toSeconds()))
                .setRetry(
                    RetryPolicy.newBuilder()
                        .setMaxAttempts(20)
                        .setInitial(Caller.millis(50))
                        .setMax(Caller.seconds(1))))
        .build();
  }

  /** A server, two workers, and the connection between them. */
  private static final class Scene implements AutoCloseable {
    private final Deployment deployment;
    private final Path ledger;
    private final CuttingProxy proxy;
    private final RunCaller caller;
    private final Random random = new Random();
    private final List<HapaxProcess> workers = new ArrayList<>();
    private final Map<Fault, Integer> done = Collections.synchronizedMap(new LinkedHashMap<>());
    private volatile HapaxProcess server;

    Scene(Deployment deployment, RunCaller direct, Path ledger) throws IOException {
      this.deployment = deployment;
      this.ledger = Files.createFile(ledger);
      this.server = deployment.server();
      this.proxy = new CuttingProxy(deployment.target());
      this.caller = direct.via(proxy.target());
      workers.add(worker());
      workers.add(worker());
    }

    private HapaxProcess worker() {
      return Npm.program(
          proxy.target(), "orders.mjs", caller.workspace(), RunCaller.QUEUE, ledger.toString());
    }

    /** Starts the run of an order, however often that has to be sent. */
    String start(String order) {
      var request =
          caller
              .start("order")
              .setIdempotencyKey(order)
              .setInput(Caller.json("{\"order\": \"%s\"}".formatted(order)));
      return answered(() -> send(request));
    }

    private String send(StartRunRequest.Builder request) {
      return caller.send(request).getRun().getId();
    }

    private static <T> T answered(Supplier<T> call) {
      var deadline = System.nanoTime() + PATIENCE.toNanos();
      while (true) {
        try {
          return call.get();
        } catch (StatusRuntimeException e) {
          if (!Rivals.mayBeSentAgain(e.getStatus()) || System.nanoTime() > deadline) {
            throw e;
          }
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
      }
    }

    /** Every fault in turn, in another order each time. */
    void harm(Duration duration) {
      var end = System.nanoTime() + duration.toNanos();
      while (System.nanoTime() < end) {
        var round = new ArrayList<>(List.of(Fault.values()));
        Collections.shuffle(round, random);
        for (var fault : round) {
          harm(fault);
          done.merge(fault, 1, Integer::sum);
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200 + random.nextInt(1_500)));
        }
      }
    }

    private void harm(Fault fault) {
      for (var worker : workers) {
        assertThat(worker.isAlive()).as("before %s: %s", fault, worker.errors()).isTrue();
      }
      var which = random.nextInt(workers.size());
      switch (fault) {
        case CUT_ANSWER -> proxy.cutNextAnswer();
        case CUT_CONNECTIONS -> proxy.cutConnections();
        case KILL_SERVER -> {
          server.kill9();
          server = deployment.add();
          proxy.forwardTo(server.awaitReady());
        }
        case DROP_DATABASE_CONNECTIONS -> {
          var _ = deployment.database().killConnections();
        }
        case KILL_WORKER -> {
          workers.get(which).kill9();
          workers.set(which, worker());
        }
        case FREEZE_WORKER -> {
          workers.get(which).stop();
          LockSupport.parkNanos(LEASE.multipliedBy(2).toNanos());
          workers.get(which).cont();
        }
        case DRAIN_WORKER -> {
          assertDrains(workers.get(which));
          workers.set(which, worker());
        }
      }
    }

    private static void assertDrains(HapaxProcess worker) {
      var _ = worker.awaitOutput("works"::equals);
      worker.terminate();
      assertThat(worker.awaitExit()).as("errors: %s", worker.errors()).isZero();
    }

    void assertHarmed() {
      assertThat(done).containsOnlyKeys(Fault.values());
      assertThat(proxy.cuts()).isPositive();
    }

    void assertEachEndsOnce(Map<String, String> orders) throws IOException {
      for (var order : orders.entrySet()) {
        var run = awaitEnd(order.getValue());
        assertThat(run.getStatus()).as("%s", run).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
        assertThat(run.getOutput().getJson())
            .isEqualTo("{\"charged\":\"%s\"}".formatted(order.getKey()));
        assertThat(answered(() -> caller.events(run.getId())))
            .filteredOn(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
            .extracting(RunEvent::getStepName)
            .containsExactly("reserve", "charge", "ship");
      }
      var lines = Files.readAllLines(ledger);
      // the keys that the provider saw for an order: with one key it charges once
      for (var order : orders.keySet()) {
        assertThat(lines.stream().filter(line -> line.startsWith("charges " + order + " ")))
            .extracting(line -> line.split(" ", -1)[2])
            .isNotEmpty()
            .containsOnly(stepId(lines, order));
      }
      // no attempt was handed out twice
      assertThat(lines.stream().filter(line -> line.startsWith("begins "))).doesNotHaveDuplicates();
    }

    private static String stepId(List<String> lines, String order) {
      return lines.stream()
          .filter(line -> line.startsWith("begins " + order + " "))
          .map(line -> line.split(" ", -1)[2])
          .findFirst()
          .orElseThrow();
    }

    private Run awaitEnd(String runId) {
      var deadline = System.nanoTime() + PATIENCE.toNanos();
      while (true) {
        var run = answered(() -> caller.awaitEnd(runId));
        if (run.hasEndedAt()) {
          return run;
        }
        assertThat(System.nanoTime()).as("it has not ended: %s", run).isLessThan(deadline);
      }
    }

    void assertWorkersDrain() {
      workers.forEach(Scene::assertDrains);
    }

    @Override
    public void close() {
      workers.forEach(HapaxProcess::close);
      caller.close();
      proxy.close();
    }
  }
}
