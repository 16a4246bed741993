package dev.hapax.bootstrap.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.application.run.PollRequest;
import dev.hapax.bootstrap.architecture.Repository;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.MoveMethod;
import dev.hapax.domain.cell.MoveStep;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.monitoring.BacklogReads.Backlog;
import dev.hapax.domain.monitoring.BacklogReads.NodeCount;
import dev.hapax.domain.monitoring.BacklogReads.QueueCount;
import dev.hapax.domain.monitoring.BacklogReads.ReadyTasks;
import dev.hapax.domain.monitoring.BacklogReads.StatusCount;
import dev.hapax.domain.monitoring.BacklogReads.WorkspaceCount;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.monitoring.WorkEvents;
import dev.hapax.domain.monitoring.WorkTime;
import dev.hapax.domain.run.AdvanceDueRun;
import dev.hapax.domain.run.GrantReadyTask;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.tls.CertificateStatus;
import dev.hapax.grpc.tls.CertificateUse;
import dev.hapax.http.HostNames;
import dev.hapax.http.PageServer;
import dev.hapax.postgres.StoreLoad;
import dev.hapax.postgres.StoreLoad.Pool;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.WorkerServiceGrpc;
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
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
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

  private static final RunId RUN = new RunId(Workspace.DEFAULT, new UUID(1, 2));
  private static final List<WorkEvent> EVENTS =
      List.of(
          new WorkEvent.RunEnded(RUN, "order", RunStatus.COMPLETED),
          new WorkEvent.RetryScheduled(RUN, "order", "charge", 1, "DECLINED"),
          new WorkEvent.StepReleased(RUN, "order", "charge", "CODE_CHANGED"),
          new WorkEvent.TaskLeaseExpired(RUN, "order", "charge", 1, "worker"),
          new WorkEvent.OperationLeaseExpired(Workspace.DEFAULT, "orders/Place", 1),
          new WorkEvent.EntityLeaseExpired(Workspace.DEFAULT, "billing", "17", "ann", true),
          new WorkEvent.EffectDeadLettered(RUN, "mail", "billing", 3, "NO_SUCH_ADDRESS"),
          new WorkEvent.OperationIndeterminate(Workspace.DEFAULT, "orders/Place", 1));
  private static final Backlog BACKLOG =
      new Backlog(
          List.of(new ReadyTasks(Workspace.DEFAULT, "mail", 7, Duration.ofSeconds(90))),
          List.of(new QueueCount(Workspace.DEFAULT, "mail", 5)),
          List.of(new StatusCount(Workspace.DEFAULT, RunStatus.WAITING, 11)),
          List.of(new WorkspaceCount(Workspace.DEFAULT, 2)),
          List.of(new WorkspaceCount(Workspace.DEFAULT, 8)),
          4,
          Duration.ofSeconds(6),
          3,
          Duration.ofSeconds(9),
          List.of(new NodeCount("1.2.0", 2)));

  private static final List<WorkTime> TIMES =
      List.of(
          new WorkTime.TaskStarted(Workspace.DEFAULT, "orders", "charge", Duration.ofMillis(50)),
          new WorkTime.StepExecuted(Workspace.DEFAULT, "orders", "charge", Duration.ofSeconds(2)),
          new WorkTime.RunTook(
              Workspace.DEFAULT, "order", RunStatus.COMPLETED, Duration.ofMinutes(2)));

  private final Metrics metrics = new Metrics(false);
  private final StoreMetrics store = metrics.store(CellName.DEFAULT);
  private LimitObserver limits = LimitObserver.NONE;
  private final InMemoryLedger ledger = new InMemoryLedger(new SettableClock(NOW));
  private final CountDownLatch left = new CountDownLatch(1);
  private final String name = InProcessServerBuilder.generateName();
  private final ManagedChannel channel = InProcessChannelBuilder.forName(name).build();
  private final AtomicInteger sizes = new AtomicInteger();
  private boolean serving = true;
  private List<JanitorStatus> janitors = List.of();
  private List<CertificateStatus> certificates = List.of();
  private List<PollRequest> polls = List.of();
  private CompletableFuture<Backlog> backlog =
      CompletableFuture.completedFuture(
          new Backlog(
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              0,
              Duration.ZERO,
              0,
              Duration.ZERO,
              List.of()));
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

  /** Answers every poll with nothing. */
  private static final class Workers implements WorkerServiceGrpc.AsyncService {
    @Override
    public void pollTasks(PollTasksRequest request, StreamObserver<PollTasksResponse> caller) {
      caller.onNext(PollTasksResponse.getDefaultInstance());
      caller.onCompleted();
    }
  }

  @BeforeEach
  void start() throws Exception {
    ledger.onChanges(new WorkEvents(metrics.work())::committed);
    store.ofLoad(
        () -> new StoreLoad(3, 4, new Pool("ledger", 2, 2, 1), new Pool("reads", 6, 1, 0), 2));
    store.ofBacklog(() -> backlog);
    store.ofPolls(() -> polls);
    store.ofDatabaseSize(
        () -> {
          sizes.incrementAndGet();
          return CompletableFuture.completedFuture(7_000_000L);
        });
    metrics.ofDisk(Path.of(""));
    metrics.ofHealth(() -> serving);
    metrics.ofCells(
        () -> Map.of("eu", Optional.empty()),
        () ->
            CompletableFuture.completedFuture(
                List.of(
                    new WorkspaceMove(
                        Workspace.DEFAULT,
                        CellName.DEFAULT,
                        new CellName("eu"),
                        MoveMethod.COPY,
                        MoveStep.COPYING))));
    store.ofRegistration(() -> Duration.ofSeconds(9));
    store.ofLoops(() -> List.of(new Loop("janitors", Duration.ofSeconds(10), System::nanoTime)));
    store.ofDatabase(new DatabaseClock(), () -> 1);
    store.ofJanitors(() -> janitors);
    metrics.ofCertificates(() -> certificates);
    metrics.ofApiKeys(() -> NOW);
    metrics.ofTokenIssuers(() -> Map.of("https://issuer.example", NOW));
    limits = metrics.ofCallers(() -> 3, () -> 4_096);
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .intercept(metrics.calls())
            .addService(HookServiceGrpc.bindService(new Hooks()))
            .addService(WorkerServiceGrpc.bindService(new Workers()))
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
    return new String(scrape("Accept", "text/plain").body(), StandardCharsets.UTF_8);
  }

  private HttpResponse<byte[]> scrape(String... headers) throws Exception {
    try (var endpoint =
            PageServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                _ -> "one",
                HostNames.ANY,
                metrics.pages(List::of));
        var http = HttpClient.newHttpClient()) {
      var address =
          URI.create(String.format(Locale.ROOT, "http://127.0.0.1:%d/metrics", endpoint.getPort()));
      return http.send(
          HttpRequest.newBuilder(address).headers(headers).build(), BodyHandlers.ofByteArray());
    }
  }

  @Test
  @DisplayName("given what a scraper accepts, then the metrics have that form and compression")
  void forms() throws Exception {
    var open =
        scrape("Accept", "application/openmetrics-text;version=1.0.0", "Accept-Encoding", "gzip");
    assertThat(open.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/openmetrics-text");
    assertThat(open.headers().firstValue("Content-Encoding")).contains("gzip");
    try (var text = new GZIPInputStream(new ByteArrayInputStream(open.body()))) {
      assertThat(new String(text.readAllBytes(), StandardCharsets.UTF_8)).endsWith("# EOF\n");
    }
    assertThat(scrape()).contains("jvm_threads_current ").doesNotContain("# EOF");
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
  @DisplayName("given a cancelled call, then it is counted once")
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
    commitAndNotify();

    assertThat(scrape())
        .contains("hapax_commits_total 1.0\n")
        .contains("hapax_records_total 3.0\n")
        .contains("hapax_batch_commands_sum 3.0\n")
        .contains("hapax_commit_seconds_bucket{le=\"0.0025\"} 2\n")
        .contains("hapax_command_seconds_count{command=\"ApplyLifecycles\"} 1\n")
        .contains("hapax_command_seconds_count{command=\"AdvanceDueRun\"} 1\n")
        .contains("hapax_notification_seconds_bucket{le=\"0.05\"} 0\n")
        .contains("hapax_notification_seconds_bucket{le=\"0.1\"} 1\n")
        .contains("hapax_commands_queued 3.0\n")
        .contains("hapax_reads_queued 4.0\n")
        .contains("hapax_pool_waiting{pool=\"ledger\"} 1.0\n")
        .contains("hapax_pool_max{pool=\"reads\"} 6.0\n")
        .contains("hapax_pool_active{pool=\"reads\"} 1.0\n")
        .contains("hapax_result_partitions_ahead 2.0\n")
        .contains("hapax_serving 0.0\n")
        .contains("hapax_janitor_lag_seconds{module=\"billing\",workspace=\"default\"} 31.0\n")
        .contains("hapax_janitor_overdue{module=\"billing\",workspace=\"default\"} 1.0\n")
        .contains("hapax_janitor_last_freed{module=\"billing\",workspace=\"default\"} 7.0\n");
    janitors = List.of(watched(Duration.ofSeconds(1)));
    assertThat(scrape())
        .contains("hapax_janitor_lag_seconds{module=\"billing\",workspace=\"default\"} 0.0\n")
        .contains("hapax_janitor_overdue{module=\"billing\",workspace=\"default\"} 0.0\n");
  }

  private void commitAndNotify() {
    store.ledger().committed(2, 3, 1_500_000);
    store.ledger().committed(1, 0, 1_500_000);
    store
        .ledger()
        .answered(
            new ApplyLifecycles(
                LifecycleSet.of(Workspace.DEFAULT, CONTRACT), Map.of(), 1, Attribution.SERVER),
            2_000_000);
    var run = new RunId(Workspace.DEFAULT, new UUID(7, 7));
    store
        .ledger()
        .answered(
            new GrantReadyTask<>(
                new AdvanceDueRun(run), Optional::stream, (_, _) -> Optional.empty()),
            2_000_000);
    store.notifications().accept(60_000_000);
    janitors = List.of(watched(Duration.ofSeconds(151)));
    serving = false;
  }

  private static JanitorStatus watched(Duration since) {
    return new JanitorStatus(
        new JanitorId(Workspace.DEFAULT, "billing"),
        new Janitor(
            Optional.of(CONTRACT),
            NOW.minus(Duration.ofDays(1)),
            Map.of("invoices", new RequiredClaimStates("invoices", "billing", Set.of("closing"))),
            Attribution.SERVER),
        Optional.of(new SweepRound(NOW.minus(since), 7, true, Optional.of(NOW.minus(since)))),
        NOW);
  }

  @Test
  @DisplayName("calls that ask to wait are measured apart from those that do not")
  void waits() throws Exception {
    pollWithAndWithoutWait();

    assertThat(scrape())
        .contains("hapax_calls_total{code=\"OK\",rpc=\"WorkerService/PollTasks\"} 3.0\n")
        .contains("hapax_call_seconds_count{rpc=\"WorkerService/PollTasks\"} 1\n")
        .contains("hapax_waiting_call_seconds_count{rpc=\"WorkerService/PollTasks\"} 2\n");
  }

  private void pollWithAndWithoutWait() {
    var workers =
        WorkerServiceGrpc.newBlockingStub(channel).withDeadlineAfter(10, TimeUnit.SECONDS);
    var wait = com.google.protobuf.Duration.newBuilder();
    var _ = workers.pollTasks(PollTasksRequest.getDefaultInstance());
    var _ = workers.pollTasks(PollTasksRequest.newBuilder().setWait(wait).build());
    var _ = workers.pollTasks(PollTasksRequest.newBuilder().setWait(wait.setSeconds(20)).build());
  }

  @Test
  @DisplayName("given a recent reading, then the backlog is not read again within 15 s")
  void backlog() throws Exception {
    var first = new CompletableFuture<Backlog>();
    backlog = first;
    assertThat(scrape()).doesNotContain("hapax_tasks_ready{", "hapax_backlog_age_seconds ");
    first.complete(BACKLOG);

    assertThat(scrape())
        .contains("hapax_tasks_ready{queue=\"mail\",workspace=\"default\"} 7.0\n")
        .contains("hapax_tasks_ready_oldest_seconds{queue=\"mail\",workspace=\"default\"} 90.0\n")
        .contains("hapax_tasks_held{queue=\"mail\",workspace=\"default\"} 5.0\n")
        .contains("hapax_runs{status=\"WAITING\",workspace=\"default\"} 11.0\n")
        .contains("hapax_operations_indeterminate{workspace=\"default\"} 2.0\n")
        .contains("hapax_operations_abandoned{workspace=\"default\"} 8.0\n")
        .contains("hapax_timers_late 4.0\n")
        .contains("hapax_timers_late_seconds 6.0\n")
        .contains("hapax_intents_posted 3.0\n")
        .contains("hapax_intents_posted_oldest_seconds 9.0\n")
        .contains("hapax_nodes{version=\"1.2.0\"} 2.0\n")
        .contains("hapax_backlog_age_seconds ");
    backlog = CompletableFuture.failedFuture(new IllegalStateException("read again"));
    assertThat(scrape()).contains("hapax_timers_late 4.0\n");
  }

  @Test
  @DisplayName("of 150 queues a hundred are shown by name, and the others together")
  void boundedGauges() throws Exception {
    polls =
        IntStream.range(0, 150)
            .mapToObj(i -> poll("queue-" + i))
            .collect(Collectors.toCollection(ArrayList::new));
    polls.add(poll("queue-7"));

    assertThat(scrape().lines().filter(line -> line.startsWith("hapax_polls_waiting{")))
        .hasSize(101)
        .contains("hapax_polls_waiting{queue=\"queue-7\",workspace=\"default\"} 2.0")
        .contains("hapax_polls_waiting{queue=\"other\",workspace=\"other\"} 50.0");
  }

  @Test
  @DisplayName("of 150 definitions the first hundred are counted by name, and the others together")
  void boundedCounters() throws Exception {
    for (var i = 0; i < 150; i++) {
      metrics.work().accept(new WorkEvent.RunFailed(RUN, "order-" + i, "charge", 1, "DECLINED"));
    }
    metrics.work().accept(new WorkEvent.RunFailed(RUN, "order-7", "charge", 1, "DECLINED"));

    assertThat(scrape().lines().filter(line -> line.startsWith("hapax_runs_ended_total{")))
        .hasSize(101)
        .contains(
            "hapax_runs_ended_total{definition=\"order-7\",status=\"FAILED\",workspace=\"default\"}"
                + " 2.0")
        .contains(
            "hapax_runs_ended_total{definition=\"other\",status=\"FAILED\",workspace=\"other\"}"
                + " 50.0");
  }

  private void refuseEach() {
    limits.refusedConnection("total");
    limits.closedConnection("unread");
    limits.refusedCall("default", "calls-per-second-per-workspace");
    limits.unauthenticated("api_key");
  }

  @Test
  @DisplayName("limits that refuse many workspaces have few labels")
  void limits() throws Exception {
    for (var i = 0; i < 150; i++) {
      limits.refusedCall("w" + i, "watches-per-workspace");
    }
    refuseEach();
    assertThat(scrape())
        .contains("hapax_calls_limited_total{limit=\"other\",workspace=\"other\"} 51.0\n")
        .contains("hapax_connections_refused_total{limit=\"total\"} 1.0\n")
        .contains("hapax_connections_closed_total{reason=\"unread\"} 1.0\n")
        .contains("hapax_unauthenticated_total{reason=\"api_key\"} 1.0\n")
        .contains("hapax_connections 3.0\n")
        .contains("hapax_unread_response_bytes 4096.0\n");
  }

  private static PollRequest poll(String queue) {
    return new PollRequest(
        Workspace.DEFAULT, List.of(queue), "worker", Optional.empty(), 1, PrincipalName.NONE);
  }

  @Test
  @DisplayName("events of work are counted by kind")
  void events() throws Exception {
    EVENTS.forEach(metrics.work());

    assertThat(scrape())
        .contains(
            "hapax_runs_ended_total{definition=\"order\",status=\"COMPLETED\",workspace=\"default\"}"
                + " 1.0\n")
        .contains("hapax_retries_total{definition=\"order\",workspace=\"default\"} 1.0\n")
        .contains("hapax_steps_released_total{reason=\"CODE_CHANGED\",workspace=\"default\"} 1.0\n")
        .contains("hapax_leases_expired_total{of=\"task\",workspace=\"default\"} 1.0\n")
        .contains("hapax_leases_expired_total{of=\"operation\",workspace=\"default\"} 1.0\n")
        .contains("hapax_leases_expired_total{of=\"recovery\",workspace=\"default\"} 1.0\n")
        .contains("hapax_effects_dead_lettered_total{effect=\"mail\",workspace=\"default\"} 1.0\n")
        .contains("hapax_operations_turned_indeterminate_total{workspace=\"default\"} 1.0\n");
  }

  @Test
  @DisplayName("times of work are measured by step and by definition, in few buckets")
  void times() throws Exception {
    TIMES.forEach(metrics.times());
    for (var i = 0; i < 150; i++) {
      metrics
          .times()
          .accept(new WorkTime.TaskStarted(Workspace.DEFAULT, "q", "s" + i, Duration.ZERO));
    }

    var step = "queue=\"orders\",step=\"charge\",workspace=\"default\"";
    var run = "definition=\"order\",status=\"COMPLETED\",workspace=\"default\"";
    assertThat(scrape())
        .contains("hapax_task_schedule_to_start_seconds_bucket{" + step + ",le=\"0.01\"} 0\n")
        .contains("hapax_task_schedule_to_start_seconds_bucket{" + step + ",le=\"0.1\"} 1\n")
        .contains("hapax_step_execution_seconds_sum{" + step + "} 2.0\n")
        .contains("hapax_run_duration_seconds_bucket{" + run + ",le=\"60.0\"} 0\n")
        .contains("hapax_run_duration_seconds_bucket{" + run + ",le=\"600.0\"} 1\n");
    assertThat(
            scrape()
                .lines()
                .filter(line -> line.startsWith("hapax_task_schedule_to_start_seconds_count{")))
        .hasSize(101);
  }

  @Test
  @DisplayName("given a recent size of the database, then it is not read again within 5 min")
  void databaseSize() throws Exception {
    assertThat(scrape()).doesNotContain("hapax_database_bytes 7");
    assertThat(scrape()).contains("hapax_database_bytes 7000000.0\n");
    assertThat(scrape()).contains("hapax_disk_free_bytes ");
    assertThat(sizes).hasValue(1);
  }

  @Test
  @DisplayName("the page of metrics has what a server tells, word for word")
  void documented() throws Exception {
    backlog = CompletableFuture.completedFuture(BACKLOG);
    getHook("owned");
    pollWithAndWithoutWait();
    commitAndNotify();
    EVENTS.forEach(metrics.work());
    TIMES.forEach(metrics.times());
    polls = List.of(poll("mail"));
    janitors = List.of(watched(Duration.ZERO));
    certificates = List.of(new CertificateStatus(CertificateUse.SERVER, NOW, 0, 0));
    refuseEach();
    // the first scrape has the database read, the next one shows it
    var _ = scrape();
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

  @Test
  @DisplayName("the expiry of certificates and the outcomes of their reloads are shown by use")
  void certificates() throws Exception {
    certificates =
        List.of(
            new CertificateStatus(CertificateUse.SERVER, NOW, 3, 2),
            new CertificateStatus(CertificateUse.CLIENT_CA, NOW.plusSeconds(1), 0, 0));

    assertThat(scrape())
        .contains("hapax_certificate_expires_timestamp_seconds{use=\"server\"} 1.893456E9\n")
        .contains("hapax_certificate_expires_timestamp_seconds{use=\"client-ca\"} 1.893456001E9\n")
        .contains("hapax_certificate_reloads_total{outcome=\"loaded\",use=\"server\"} 3.0\n")
        .contains("hapax_certificate_reloads_total{outcome=\"rejected\",use=\"server\"} 2.0\n")
        .contains(
            "hapax_token_keys_read_timestamp_seconds{issuer=\"https://issuer.example\"} 1.893456E9\n")
        .contains("hapax_api_keys_read_timestamp_seconds 1.893456E9\n");
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
