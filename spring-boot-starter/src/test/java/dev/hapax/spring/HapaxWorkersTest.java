package dev.hapax.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.hapax.client.Codec;
import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.client.Value;
import dev.hapax.client.Workflow;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.RunStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

@Timeout(60)
class HapaxWorkersTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final InMemoryHapax server = InMemoryHapax.start();
  private final Hapax hapax = connect();

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HapaxAutoConfiguration.class,
                  HapaxMetersAutoConfiguration.class,
                  HapaxTracingAutoConfiguration.class))
          .withBean("client", Hapax.class, this::connect);

  private Hapax connect() {
    return Hapax.builder().channel(server.channel()).connect();
  }

  @AfterEach
  void close() {
    hapax.close();
    server.close();
  }

  private String start(Definition definition) {
    hapax.definitions().register(definition);
    return hapax.runs().start("order").run().id();
  }

  @Test
  @DisplayName("given handlers of a step and of a workflow, then one worker runs both")
  void handlers() throws InterruptedException {
    var alive = new ArrayList<Thread>();
    var run = start(Definition.of("order", "1").task("charge", "orders"));
    var ship =
        Workflow.of(
            "ship",
            "orders",
            Codec.text(),
            Codec.text(),
            (task, order) -> task.record("label", Codec.text(), id -> "shipped " + order));
    runner
        .withBean(
            "charge",
            StepHandler.class,
            () -> new StepHandler("orders", "order", "charge", task -> new Value.Json("1")))
        .withBean("ship", Workflow.class, () -> ship)
        .run(
            context -> {
              assertThat(context.getBean(HapaxWorkers.class).isRunning()).isTrue();
              alive.addAll(keepingAlive());
              assertThat(hapax.runs().result(run, Codec.jsonText(), SOON)).isEqualTo("1");
              assertThat(hapax.runs().start(ship, "key", "tea").result(SOON))
                  .isEqualTo("shipped tea");
            });

    assertThat(alive).as("an application without a web server does not end").isNotEmpty();
    for (var thread : alive) {
      thread.join(SOON.toMillis());
      assertThat(thread.isAlive()).isFalse();
    }
  }

  private static List<Thread> keepingAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("hapax-worker") && !thread.isDaemon())
        .toList();
  }

  @Test
  @DisplayName("given a step that runs, when the application stops, then it ends before the rest")
  void drains() {
    var run = start(Definition.of("order", "1").task("charge", "orders"));
    var begun = new CountDownLatch(1);
    var closing = new CountDownLatch(1);
    var webServer = new LowerPhase(() -> hapax.runs().get(run).status());
    runner
        .withBean(LowerPhase.class, () -> webServer)
        .withInitializer(
            context ->
                context.addApplicationListener(
                    event -> {
                      if (event instanceof ContextClosedEvent) {
                        closing.countDown();
                      }
                    }))
        .withBean(
            "charge",
            StepHandler.class,
            () ->
                new StepHandler(
                    "orders",
                    "order",
                    "charge",
                    task -> {
                      begun.countDown();
                      closing.await();
                      return null;
                    }))
        .run(
            context -> {
              assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
              assertThat(hapax.runs().get(run).status())
                  .isNotEqualTo(RunStatus.RUN_STATUS_COMPLETED);
            });

    assertThat(webServer.statusAtStop).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  /** Stops when the web server drains. */
  private static final class LowerPhase implements SmartLifecycle {
    private final Supplier<RunStatus> status;
    private @Nullable RunStatus statusAtStop;
    private boolean running;

    LowerPhase(Supplier<RunStatus> status) {
      this.status = status;
    }

    @Override
    public void start() {
      running = true;
    }

    @Override
    public void stop() {
      running = false;
      statusAtStop = status.get();
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public int getPhase() {
      return DEFAULT_PHASE - 1024;
    }
  }

  @Test
  @DisplayName("given a step that does not end, then it is abandoned before the time of the phase")
  void abandons() {
    start(Definition.of("order", "1").task("charge", "orders"));
    var begun = new CountDownLatch(1);
    var stopped = new long[1];
    runner
        .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=3s")
        .withBean(
            "charge",
            StepHandler.class,
            () ->
                new StepHandler(
                    "orders",
                    "order",
                    "charge",
                    task -> {
                      begun.countDown();
                      new CountDownLatch(1).await();
                      return null;
                    }))
        .run(
            context -> {
              assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
              stopped[0] = System.nanoTime();
            });

    assertThat(Duration.ofNanos(System.nanoTime() - stopped[0]))
        .isBetween(Duration.ofMillis(900), Duration.ofMillis(2900));
  }

  @Test
  @DisplayName("given hapax.worker.enabled = false, then no worker runs")
  void disabled() {
    runner
        .withPropertyValues("hapax.worker.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HapaxWorkers.class));
  }

  @Test
  @DisplayName("given hapax.tracing = observation, then each task is one, with the run's parent")
  void observed() {
    assertThat(observations("observation"))
        .containsExactly("hapax.task order/charge definition=order step=charge");
    assertThat(observations("auto")).as("no Tracer").isEmpty();
    assertThat(observations("otel")).isEmpty();
    assertThat(observations("off")).isEmpty();
  }

  private List<String> observations(String tracing) {
    var run = start(Definition.of("order", "1").task("charge", "orders"));
    var seen = new CopyOnWriteArrayList<String>();
    var registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<ReceiverContext<?>>() {
              @Override
              public void onStop(ReceiverContext<?> context) {
                seen.add(
                    context.getName()
                        + " "
                        + context.getContextualName()
                        + " "
                        + String.join(
                            " ",
                            context.getLowCardinalityKeyValues().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .toList()));
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return context instanceof ReceiverContext<?>;
              }
            });
    runner
        .withPropertyValues("hapax.tracing=" + tracing)
        .withBean(ObservationRegistry.class, () -> registry)
        .withBean(
            "charge",
            StepHandler.class,
            () -> new StepHandler("orders", "order", "charge", task -> null))
        .run(context -> hapax.runs().result(run, Codec.none(), SOON));
    return seen;
  }

  @Test
  @DisplayName("given meters, then they have no id of a run, a task or a claim")
  void meters() {
    var registry = new SimpleMeterRegistry();
    var run = start(Definition.of("order", "1").task("charge", "orders"));
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(HapaxAutoConfiguration.class, HapaxMetersAutoConfiguration.class))
        .withBean(SimpleMeterRegistry.class, () -> registry)
        .run(
            context -> {
              var observer = context.getBean(dev.hapax.client.Observer.class);
              var client = Hapax.builder().channel(server.channel()).observer(observer).connect();
              client.runs().get(run);
            });
    assertThat(registry.get("hapax.calls").tag("method", "GetRun").timer().getId().getTags())
        .extracting(tag -> entry(tag.getKey(), tag.getValue()))
        .containsExactlyInAnyOrder(entry("method", "GetRun"), entry("kind", "ok"));
  }
}
