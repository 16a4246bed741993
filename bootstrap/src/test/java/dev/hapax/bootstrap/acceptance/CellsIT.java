package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Hapax;
import dev.hapax.client.Value;
import dev.hapax.v1.Claim;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse.Result;
import dev.hapax.v1.ListProblemsRequest;
import dev.hapax.v1.ListProblemsResponse;
import dev.hapax.v1.ListWorkspacesRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc.MonitoringServiceBlockingStub;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.WorkspaceState;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server with two cells. */
class CellsIT {
  private static final int CALLS = 50;

  private static CellDatabases cells;
  private static Deployment deployment;

  @BeforeAll
  static void start() {
    cells = CellDatabases.create();
    deployment = Deployment.of(cells);
  }

  @AfterAll
  static void close() {
    deployment.close();
  }

  /** A caller whose workspace is in the second cell. */
  private static Caller placed() {
    var caller = Caller.to(deployment.target());
    cells.place(caller.workspace());
    Condition.await("the server has read the map", () -> isServed(caller));
    return caller;
  }

  private static boolean isServed(Caller caller) {
    try {
      return !caller.acquire("placed").getId().isEmpty();
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      return false;
    }
  }

  @Test
  @DisplayName(
      "given a workspace in the second cell, when each method is called, then all rows are there"
          + " [S1]")
  void unary() {
    try (var caller = placed()) {
      new ApiScenario(caller).play();
      assertThat(CellDatabases.rows(cells.second(), caller.workspace())).isPositive();
      assertThat(CellDatabases.rows(cells.first(), caller.workspace())).isZero();
    }
  }

  @Test
  @DisplayName("given workspaces in two cells, then the list has both, each with its cell")
  void workspaces() {
    try (var there = placed();
        var here = Caller.to(deployment.target())) {
      new RunCaller(here).define("order", RunCaller.task("a"));
      assertThat(
              monitoring(here)
                  .listWorkspaces(ListWorkspacesRequest.newBuilder().setPageSize(500).build())
                  .getWorkspacesList())
          .extracting(
              WorkspaceState::getWorkspace, WorkspaceState::getCell, WorkspaceState::getCounted)
          .contains(
              tuple(there.workspace(), "second", true), tuple(here.workspace(), "default", true));
      assertThat(problems(there).getCell()).isEqualTo("second");
      assertThat(problems(here).getCell()).isEqualTo("default");
      cells
          .first()
          .execute(
              "INSERT INTO hapax.move VALUES ('%s', 'second', 'default', 'copy', 'copying', gen_random_uuid())"
                  .formatted(there.workspace()));
      assertThat(problems(there).getMovingTo()).isEqualTo("default");
      assertThat(problems(here).getMovingTo()).isEmpty();
    }
  }

  private static MonitoringServiceBlockingStub monitoring(Caller caller) {
    return MonitoringServiceGrpc.newBlockingStub(caller.channel())
        .withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  private static ListProblemsResponse problems(Caller caller) {
    return monitoring(caller)
        .listProblems(ListProblemsRequest.newBuilder().setWorkspace(caller.workspace()).build());
  }

  @Test
  @DisplayName(
      "given a workspace in the first cell, when each method is called, then all rows are there")
  void first() {
    try (var caller = Caller.to(deployment.target())) {
      new ApiScenario(caller).play();
      assertThat(CellDatabases.rows(cells.first(), caller.workspace())).isPositive();
      assertThat(CellDatabases.rows(cells.second(), caller.workspace())).isZero();
    }
  }

  @Test
  @DisplayName(
      "given workspaces in two cells, when clients use streams, then each run and operation ends in"
          + " its cell")
  void streams() {
    try (var there = placed();
        var here = Caller.to(deployment.target())) {
      work(there);
      work(here);
      assertThat(CellDatabases.rows(cells.first(), there.workspace())).isZero();
      assertThat(CellDatabases.rows(cells.second(), here.workspace())).isZero();
    }
  }

  private static void work(Caller caller) {
    new RunCaller(caller).define("order", RunCaller.task("a"), RunCaller.task("b"));
    var channel = TestAccess.channel(deployment.target()).build();
    try (var hapax =
            Hapax.builder(Map.of())
                .channel(channel)
                .workspace(caller.workspace())
                .callTimeout(Duration.ofMinutes(1))
                .connect();
        var _ = hapax.worker().queue(RunCaller.QUEUE, _ -> new Value.Json("1")).start()) {
      var started =
          IntStream.range(0, CALLS)
              .mapToObj(i -> hapax.async().start("order", options -> options.key("key-" + i)))
              .toList();
      for (var each : started) {
        assertThat(new RunCaller(caller).awaitEnd(each.join().run().id()).getStatus())
            .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      }
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  @DisplayName(
      "given claims of two cells in one HeartbeatTasks, then each is renewed, in their order")
  void heartbeats() {
    try (var there = placed();
        var here = Caller.to(deployment.target())) {
      var response =
          new RunCaller(here)
              .worker()
              .heartbeatTasks(
                  HeartbeatTasksRequest.newBuilder()
                      .addClaims(task(here))
                      .addClaims(task(there))
                      .addClaims(task(here))
                      .build());
      assertThat(response.getResultsList()).hasSize(3).allMatch(Result::hasRenewed);
    }
  }

  private static Claim task(Caller caller) {
    var runs = new RunCaller(caller);
    runs.define("order", RunCaller.task("a"));
    var _ = runs.started("order");
    return runs.poll("worker").getClaim();
  }
}
