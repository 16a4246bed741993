package dev.hapax.bootstrap.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.architecture.Repository;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.DeclareJanitor;
import dev.hapax.domain.janitor.Demand;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads.Watched;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.Round;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.HookServiceGrpc;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final JanitorContract CONTRACT =
      new JanitorContract(
          "billing",
          Set.of("closing"),
          JanitorTiming.of(Duration.ofMinutes(5), Duration.ofMinutes(2)),
          JanitorMode.HOSTED);

  private final Metrics metrics = new Metrics();
  private final InMemoryLedger ledger = new InMemoryLedger(new SettableClock(NOW));
  private final CountDownLatch left = new CountDownLatch(1);
  private final String name = InProcessServerBuilder.generateName();
  private final ManagedChannel channel = InProcessChannelBuilder.forName(name).build();
  private boolean serving = true;
  private List<Watched> janitors = List.of();
  private Server server = InProcessServerBuilder.forName(name).build();

  /** Answers, fails or never answers, as the token says. */
  private final class Hooks implements HookServiceGrpc.AsyncService {
    @Override
    public void getHook(GetHookRequest request, StreamObserver<GetHookResponse> caller) {
      switch (request.getToken()) {
        case "free" -> caller.onError(Status.NOT_FOUND.asRuntimeException());
        case "never" -> Context.current().addListener(_ -> left.countDown(), Runnable::run);
        default -> {
          caller.onNext(GetHookResponse.getDefaultInstance());
          caller.onCompleted();
        }
      }
    }
  }

  @BeforeEach
  void start() throws Exception {
    metrics.ofCommits(ledger);
    metrics.ofHealth(() -> serving);
    metrics.ofJanitors(() -> janitors);
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .intercept(metrics.calls())
            .addService(HookServiceGrpc.bindService(new Hooks()))
            .addService(new HealthStatusManager().getHealthService())
            .build()
            .start();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private void getHook(String token) {
    var _ =
        HookServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .getHook(GetHookRequest.newBuilder().setToken(token).build());
  }

  private String scrape() throws Exception {
    try (var endpoint = metrics.serve(new HostPort("127.0.0.1", 0), List::of);
        var http = HttpClient.newHttpClient()) {
      var address = URI.create("http://127.0.0.1:%d/metrics".formatted(endpoint.getPort()));
      return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
    }
  }

  @Test
  @DisplayName("calls are counted by rpc and by how they ended; gRPC's own are not")
  void calls() throws Exception {
    getHook("owned");
    getHook("owned");
    assertThatThrownBy(() -> getHook("free")).hasMessageContaining("NOT_FOUND");
    var _ = HealthGrpc.newBlockingStub(channel).check(HealthCheckRequest.getDefaultInstance());

    assertThat(scrape())
        .contains("hapax_calls_total{code=\"OK\",rpc=\"HookService/GetHook\"} 2.0\n")
        .contains("hapax_calls_total{code=\"NOT_FOUND\",rpc=\"HookService/GetHook\"} 1.0\n")
        .contains("hapax_call_seconds_count{rpc=\"HookService/GetHook\"} 3\n")
        .contains("hapax_calls_under_way{rpc=\"HookService/GetHook\"} 0.0\n")
        .doesNotContain("Health");
  }

  @Test
  @DisplayName("a call whose caller has gone ends, once")
  void cancelled() throws Exception {
    var call =
        HookServiceGrpc.newFutureStub(channel)
            .getHook(GetHookRequest.newBuilder().setToken("never").build());
    assertThat(scrape()).contains("hapax_calls_under_way{rpc=\"HookService/GetHook\"} 1.0\n");

    call.cancel(true);
    assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();

    assertThat(scrape())
        .contains("hapax_calls_under_way{rpc=\"HookService/GetHook\"} 0.0\n")
        .contains("hapax_calls_total{code=\"CANCELLED\",rpc=\"HookService/GetHook\"} 1.0\n");
  }

  @Test
  @DisplayName("commits, health, and how late janitors are")
  void states() throws Exception {
    var _ = ledger.submit(new DeclareJanitor(Workspace.DEFAULT, CONTRACT)).join();
    janitors = List.of(watched(Duration.ofSeconds(151)));
    serving = false;

    assertThat(scrape())
        .contains("hapax_commits_total 1.0\n")
        .contains("hapax_records_total 1.0\n")
        .contains("hapax_serving 0.0\n")
        .contains("hapax_janitor_lag_seconds{module=\"billing\",workspace=\"default\"} 31.0\n")
        .contains("hapax_janitor_overdue{module=\"billing\",workspace=\"default\"} 1.0\n")
        .contains("hapax_janitor_last_freed{module=\"billing\",workspace=\"default\"} 7.0\n");
    janitors = List.of(watched(Duration.ofSeconds(1)));
    assertThat(scrape())
        .contains("hapax_janitor_lag_seconds{module=\"billing\",workspace=\"default\"} 0.0\n")
        .contains("hapax_janitor_overdue{module=\"billing\",workspace=\"default\"} 0.0\n");
  }

  private static Watched watched(Duration since) {
    return new Watched(
        new JanitorId(Workspace.DEFAULT, "billing"),
        new Janitor(
            Optional.of(CONTRACT),
            NOW.minus(Duration.ofDays(1)),
            Map.of("invoices", new Demand("invoices", "billing", Set.of("closing")))),
        Optional.of(new Round(NOW.minus(since), 7, true, Optional.of(NOW.minus(since)))),
        NOW);
  }

  @Test
  @DisplayName("the page of metrics has what a server tells, word for word")
  void documented() throws Exception {
    getHook("owned");
    janitors = List.of(watched(Duration.ZERO));
    var told = scrape();

    var rows =
        Pattern.compile("(?m)^# HELP (\\S+) (.*)\\n# TYPE \\S+ (\\w+)\\n(.*)$")
            .matcher(told)
            .results()
            .map(
                metric ->
                    "| `%s` | %s | %s | %s |"
                        .formatted(
                            metric.group(1),
                            metric.group(3),
                            labels(metric.group(4)),
                            metric.group(2)))
            .map(row -> row.replace("|  |", "| |"))
            .collect(Collectors.joining("\n"));
    assertThat(Repository.text(Path.of("docs/metrics.md")))
        .as("docs/metrics.md must have these lines:\n%s", rows)
        .contains("\n|---|---|---|---|\n" + rows + "\n\n");
  }

  private static String labels(String sample) {
    return Pattern.compile("(\\w+)=\"")
        .matcher(sample)
        .results()
        .map(label -> label.group(1))
        .filter(label -> !label.equals("le"))
        .map(label -> "`" + label + "`")
        .collect(Collectors.joining(", "));
  }
}
