package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.architecture.Repository;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.RunStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The alerts and the dashboard on a Prometheus that scrapes a server. Each {@code for} of the rules
 * is 0 s here, so that an alert fires with its condition; their durations are tested by {@code
 * .ci/alerts}.
 */
@Tag("nightly")
class AlertsIT {
  private static final Path RULES = Path.of("deploy/prometheus/rules.yml");
  private static final Path DASHBOARD = Path.of("deploy/grafana/hapax.json");
  private static final Pattern DURATION = Pattern.compile("(?m)^( +for:) .*$");

  /**
   * Metrics that may have no series on a server without TLS, without callers that it refuses or
   * that abandon their operations.
   */
  private static final Pattern WITHOUT_SERIES =
      Pattern.compile(
          "hapax_(certificate_expires_timestamp_seconds|disk_free_bytes|operations_abandoned|unauthenticated_total|calls_limited_total"
              + "|connections_closed_total|connections_refused_total|leases_expired_total)");

  /** A janitor is overdue after 30 s. */
  private static final Duration LATE = Duration.ofMinutes(2);

  @TempDir private Path folder = Path.of("");

  private final Deployment deployment = Deployment.configured("--metrics-listen=127.0.0.1:0");
  private final Probe probe = Probe.of(deployment.server());
  private final ClaimCaller claims = ClaimCaller.to(deployment.target());
  private final RunCaller runs = claims.runs();
  private final Caller operations = runs.caller();

  @AfterEach
  void stop() {
    claims.close();
    deployment.close();
  }

  private Prometheus scraping() throws IOException {
    var rules = DURATION.matcher(Repository.text(RULES));
    var prometheus = Prometheus.start(folder, rules.replaceAll("$1 0s"), probe);
    Condition.await("it is scraped", () -> !prometheus.query("hapax_serving == 1").isEmpty());
    return prometheus;
  }

  private static void awaitFiring(Prometheus prometheus, String... alerts) {
    var expected = Set.of(alerts);
    Condition.await(
        "exactly these fire: " + expected, LATE, () -> prometheus.firing().equals(expected));
  }

  private void completeRun() {
    runs.define("order", RunCaller.task("charge"));
    var run = runs.started("order");
    assertThat(runs.complete(runs.poll("worker").getClaim(), "1").hasCompleted()).isTrue();
    assertThat(runs.awaitEnd(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("given a server that does its work, when it is scraped, then no alert fires [M1]")
  void health() throws Exception {
    completeRun();
    var _ = operations.complete(operations.acquire("pay"), Caller.json("1"));
    try (var prometheus = scraping()) {
      prometheus.awaitEvaluation();
      assertThat(prometheus.errors()).isEmpty();
      assertThat(prometheus.firing()).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "given work in all states, when the dashboard is opened, then each expression is valid, and"
          + " has a series where there is data [M1]")
  void dashboard() throws Exception {
    completeRun();
    try (var prometheus = scraping()) {
      for (var run = 0; run < 3; run++) {
        var _ = runs.started("order");
      }
      var claim = runs.poll("worker").getClaim();
      var _ =
          runs.worker().failTask(runs.failure(claim, FailureKind.FAILURE_KIND_RETRYABLE).build());
      release(runs.poll("worker").getClaim());
      var held = runs.poll("worker");
      assertThat(held.hasClaim()).isTrue();
      var _ = operations.fail(operations.acquire("pay"), FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
      callInVain("none");
      var poll = runs.polling("idle").clearQueues().addQueues("empty").setWait(Caller.seconds(30));
      var waiting = runs.workers().pollTasks(poll.build());

      var missing = new ArrayList<>(expressions());
      Condition.await(
          "these have a series: " + missing,
          () -> {
            missing.removeIf(expression -> !prometheus.query(expression).isEmpty());
            return missing.stream().allMatch(WITHOUT_SERIES.asPredicate());
          });
      assertThat(waiting.cancel(true)).isTrue();
    }
  }

  private void release(Claim claim) {
    var request =
        ReleaseTaskRequest.newBuilder()
            .setWorkspace(runs.workspace())
            .setClaim(claim)
            .setReason(Caller.failure("CODE_CHANGED"));
    var _ = runs.worker().releaseTask(request.build());
  }

  private static List<String> expressions() throws IOException {
    var dashboard = Struct.newBuilder();
    JsonFormat.parser().merge(Repository.text(DASHBOARD), dashboard);
    var expressions =
        values(dashboard.build(), "panels")
            .flatMap(panel -> values(panel, "targets"))
            .map(target -> target.getFieldsOrThrow("expr").getStringValue())
            .map(AlertsIT::withoutVariables)
            .toList();
    assertThat(expressions).hasSizeGreaterThan(20);
    return expressions;
  }

  /** The expression as Grafana sends it when "All" is chosen. */
  private static String withoutVariables(String expression) {
    return expression
        .replace("$__rate_interval", "1m")
        .replaceAll("\\$(job|namespace|workspace)\\b", ".*");
  }

  private static Stream<Struct> values(Struct in, String name) {
    return in.containsFields(name)
        ? in.getFieldsOrThrow(name).getListValue().getValuesList().stream()
            .map(Value::getStructValue)
        : Stream.empty();
  }

  @Test
  @DisplayName(
      "given work that nothing takes, ends badly or needs an operator, then its alerts fire, and"
          + " those whose cause can end resolve with it [M1]")
  void work() throws Exception {
    completeRun();
    try (var prometheus = scraping()) {
      prometheus.awaitEvaluation();
      assertThat(prometheus.firing()).isEmpty();

      var _ = runs.started("order");
      awaitFiring(prometheus, "HapaxQueueWithoutWorkers");
      var task = runs.poll("worker").getClaim();
      awaitFiring(prometheus);

      var _ = runs.worker().failTask(runs.failure(task, FailureKind.FAILURE_KIND_FINAL).build());
      awaitFiring(prometheus, "HapaxRunsFail");

      var claim = operations.acquire("pay");
      var _ = operations.fail(claim, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
      awaitFiring(prometheus, "HapaxRunsFail", "HapaxOperationsIndeterminate");
      var _ =
          operations
              .calls()
              .resolveOperation(
                  operations
                      .resolution("pay")
                      .setRelease(ResolveOperationRequest.Release.getDefaultInstance())
                      .build());
      awaitFiring(prometheus, "HapaxRunsFail");

      claims.declare(ClaimCaller.remote().setEvery(Caller.millis(100)));
      awaitFiring(prometheus, "HapaxRunsFail", "HapaxJanitorOverdue");
      assertThat(claims.poll(claims.polling("worker").setWait(Caller.millis(0)))).isEmpty();
      awaitFiring(prometheus, "HapaxRunsFail");
    }
  }

  @Test
  @DisplayName(
      "given a database that is away, and a server that is killed, then their alerts fire, and"
          + " resolve when each is back [M1]")
  void outages() throws Exception {
    completeRun();
    try (var prometheus = scraping()) {
      prometheus.awaitEvaluation();
      assertThat(prometheus.firing()).isEmpty();

      deployment.database().allowConnections(false);
      deployment.database().disconnectAll();
      Condition.await(
          "NOT_SERVING and UNAVAILABLE are alerted",
          LATE,
          () -> {
            callInVain("pay");
            return prometheus.firing().containsAll(Set.of("HapaxNotServing", "HapaxUnavailable"));
          });
      assertThat(prometheus.firing()).doesNotContain("HapaxDown");
      deployment.database().allowConnections(true);
      Condition.await(
          "it serves again", LATE, () -> !prometheus.firing().contains("HapaxNotServing"));

      deployment.server().kill9();
      Condition.await(
          "the server is missed", LATE, () -> prometheus.firing().contains("HapaxDown"));
      var replacement = deployment.add("--metrics-listen=" + probe.address().getAuthority());
      assertThat(replacement.awaitReady()).isNotEmpty();
      Condition.await("it is back", LATE, () -> !prometheus.firing().contains("HapaxDown"));
    }
  }

  private void callInVain(String key) {
    try {
      var _ = operations.get(key);
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode())
          .isIn(Status.Code.UNAVAILABLE, Status.Code.NOT_FOUND, Status.Code.DEADLINE_EXCEEDED);
    }
  }
}
