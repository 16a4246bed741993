package dev.hapax.bootstrap.cli.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.cli.call.Operator;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.client.Hapax;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.ServerFeature;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Four runs: a worker holds the step of one, and no worker has the three others. */
@TestInstance(Lifecycle.PER_CLASS)
class MonitoringCommandsIT {
  private static final String SHIP =
      """
      {"name": "ship", "version": "1", "steps": [{"name": "pack", "task": {"queue": "packing"}}]}
      """;

  private static final String LOAD =
      """
      {"name": "load", "version": "1", "steps": [{"name": "load", "task": {"queue": "loading"}}]}
      """;

  private final Operator operator;

  MonitoringCommandsIT() throws Exception {
    operator = new Operator();
  }

  @BeforeAll
  void work(@TempDir Path folder) throws Exception {
    for (var definition : List.of(SHIP, LOAD)) {
      var file = Files.writeString(folder.resolve("definition.json"), definition);
      assertThat(hapax("definition", "apply", file.toString()).code()).isZero();
    }
    assertThat(hapax("run", "start", "load").code()).isZero();
    for (var i = 0; i < 3; i++) {
      assertThat(hapax("run", "start", "ship").code()).isZero();
    }
    var channel = NettyChannelBuilder.forTarget(operator.address()).usePlaintext().build();
    try {
      var polled =
          WorkerServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .pollTasks(
                  PollTasksRequest.newBuilder()
                      .setWorkspace("monitoring")
                      .setWorkerId("packer-1")
                      .addQueues("packing")
                      .addQueues("wrapping")
                      .build());
      assertThat(polled.getTasksCount()).isEqualTo(1);
    } finally {
      channel.shutdownNow();
    }
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  private Said hapax(String... arguments) {
    return operator.hapax("monitoring", arguments);
  }

  @Test
  @DisplayName(
      "server info shows version, schema, clock, features and limits; the client reads them")
  void server() {
    var said = hapax("server", "info");

    assertThat(said.code()).isZero();
    assertThat(said.lines())
        .anyMatch(line -> line.matches("version +development"))
        .anyMatch(line -> line.matches("schema_version +[1-9]\\d*"))
        .anyMatch(
            line ->
                line.matches(
                    "features +streams, reflection, sql_intents, sql_completions, parts, turns"))
        .anyMatch(line -> line.matches("max_request_bytes +1048576"))
        .anyMatch(line -> line.matches("max_wait +30s"));
    assertThat(hapax("server", "info", "--json").out())
        .contains("\"SERVER_FEATURE_STREAMS\"", "\"maxWait\":\"30s\"");
    var channel = NettyChannelBuilder.forTarget(operator.address()).usePlaintext().build();
    try {
      var before = Instant.now().minusSeconds(60);
      var info = Hapax.builder(Map.of()).channel(channel).connect().serverInfo();
      assertThat(Instant.ofEpochSecond(info.getDatabaseTime().getSeconds()))
          .isBetween(before, Instant.now().plusSeconds(60));
      assertThat(info.getFeaturesList()).contains(ServerFeature.SERVER_FEATURE_REFLECTION);
      assertThat(info.getLimits().getMaxPageSize()).isEqualTo(500);
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  @DisplayName("queue list shows ready and held tasks of a queue, and since when")
  void queues() {
    var said = hapax("queue", "list");

    assertThat(said.code()).isZero();
    assertThat(said.lines()).hasSize(3);
    assertThat(said.lines().getFirst()).matches("QUEUE +READY +OLDEST +HELD +POLLS HERE");
    assertThat(said.lines().get(1)).matches("loading +1 +.+ ago +0 +0");
    assertThat(said.lines().getLast()).matches("packing +2 +.+ ago +1 +0");
    assertThat(hapax("queue", "list", "--json").out())
        .contains("\"queue\":\"packing\"", "\"ready\":\"2\"", "\"held\":\"1\"", "oldestReadyAt");
    var first = hapax("queue", "list", "--limit=1");
    assertThat(first.lines()).hasSize(2).last().asString().startsWith("loading");
    assertThat(first.err()).contains("there are more");
  }

  @Test
  @DisplayName("workspace list shows the workspaces, with a queue that no worker polls")
  void workspaces() {
    Condition.await(
        "the task is old enough",
        () ->
            hapax("workspace", "list").lines().stream()
                .anyMatch(line -> line.matches("monitoring +- +0 +0 +0 +1 +0")));
    var said = hapax("workspace", "list");
    assertThat(said.lines().getFirst())
        .matches("WORKSPACE +CELL +FAILED +IN DOUBT +ABANDONED +NO WORKERS +OVERDUE");
  }

  @Test
  @DisplayName("server list shows the servers, and problem list what is stuck")
  void serversAndProblems() {
    var servers = hapax("server", "list");
    assertThat(servers.lines()).as(servers.err()).hasSize(2);
    assertThat(servers.lines().getLast()).matches("[0-9a-f-]{36} +RUNNING +development +.+");
    Condition.await(
        "a heartbeat with the clock, the committers and the keys",
        () -> hapax("server", "list").lines().getLast().matches(".+ [+-]\\d+ ms +[1-9] +-.*"));
    var problems = hapax("problem", "list");
    assertThat(problems.code()).isZero();
    assertThat(problems.err()).contains("no problems");
  }

  @Test
  @DisplayName("worker list shows what a worker holds, and when it polled which queues")
  void workers() {
    var said = hapax("worker", "list");

    assertThat(said.code()).isZero();
    assertThat(said.lines()).hasSize(2);
    assertThat(said.lines().getLast()).matches("packer-1 +1 +.+ ago +0 +packing, wrapping");
  }

  @Test
  @DisplayName("run count shows runs by status and definition")
  void runs() {
    assertThat(hapax("run", "count").lines())
        .hasSize(4)
        .anyMatch(line -> line.matches("PENDING +ship +2"))
        .anyMatch(line -> line.matches("PENDING +load +1"))
        .anyMatch(line -> line.matches("RUNNING +ship +1"));
    assertThat(hapax("run", "count", "--status=running", "--definition=ship").lines()).hasSize(2);
    assertThat(hapax("run", "count", "--definition=other").lines()).hasSize(1);
  }

  @Test
  @DisplayName("a workspace without work has no queues, workers or runs")
  void nothing() {
    assertThat(operator.hapax("empty", "queue", "list").err()).isEqualTo("hapax: no queues\n");
    assertThat(operator.hapax("empty", "worker", "list").err()).isEqualTo("hapax: no workers\n");
    assertThat(operator.hapax("empty", "run", "count").err()).isEqualTo("hapax: no runs\n");
  }
}
