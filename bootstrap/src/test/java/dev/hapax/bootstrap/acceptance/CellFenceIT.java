package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.RetryInfo;
import dev.hapax.testkit.postgres.TestDatabase;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A workspace that is in another cell, while a server does not know it. */
class CellFenceIT {
  // no cells: its map stays empty
  private final Deployment deployment = Deployment.on(TestDatabase.create());

  @AfterEach
  void close() {
    deployment.close();
  }

  private void move(Caller caller) {
    deployment
        .database()
        .execute("INSERT INTO hapax.moved VALUES ('%s')".formatted(caller.workspace()));
  }

  private long rows(Caller caller) {
    return CellDatabases.rows(deployment.database(), caller.workspace());
  }

  @Test
  @DisplayName(
      "given a workspace that has moved, when it is called, then UNAVAILABLE, and nothing is"
          + " written [S3]")
  void fenced() {
    try (var moved = deployment.caller();
        var stays = deployment.caller()) {
      var claim = moved.acquire("before");
      var runs = new RunCaller(moved);
      runs.define("order", RunCaller.task("a"));
      var rows = rows(moved);
      move(moved);

      for (var call :
          List.<Runnable>of(
              () -> moved.acquire("after"),
              () -> moved.complete(claim, Caller.json("1")),
              () -> runs.started("order"),
              () -> runs.define("other", RunCaller.task("a")))) {
        var refused = catchThrowableOfType(StatusRuntimeException.class, call::run);
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(refused).hasMessageContaining("is in another cell");
        assertThat(Objects.requireNonNull(StatusProto.fromThrowable(refused)).getDetailsList())
            .anyMatch(detail -> detail.is(RetryInfo.class));
        assertThat(stays.acquire("key-" + System.nanoTime()).getId()).isNotEmpty();
      }
      assertThat(rows(moved)).isEqualTo(rows);
    }
  }

  @Test
  @DisplayName("given a workspace that has moved, when SQL posts an intent, then it is refused")
  void sqlDoor() throws Exception {
    try (var caller = RunCaller.to(deployment.target());
        var sql = SqlCaller.to(deployment.database(), caller)) {
      caller.define("order", RunCaller.task("a"));
      var claim = caller.caller().acquire("open");
      move(caller.caller());
      var rows = rows(caller.caller());
      for (var call :
          List.of(
              "start_run('%s', 'order')",
              "start_run('%s', 'order', labels => '{\"a\": \"b\"}')",
              "signal_run('%s', 'run_01k0000000000000000000000a', 'paid')",
              "signal_hook('%s', 'token', 'paid')",
              "cancel_run('%s', 'run_01k0000000000000000000000a')",
              "complete_operation('%s', '" + claim.getId() + "', " + claim.getFence() + ")")) {
        try (var connection = sql.connect();
            var statement = connection.createStatement()) {
          assertThatThrownBy(
                  () -> statement.execute("SELECT hapax." + call.formatted(caller.workspace())))
              .hasMessageContaining("workspace " + caller.workspace() + " is in another cell");
        }
      }
      assertThat(rows(caller.caller())).isEqualTo(rows);
    }
  }
}
