package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.ServerFeature;
import io.grpc.Status.Code;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lines and restarts while a server of an earlier version works on the same database. */
class TurnsGateIT {
  private static final String BY_SQL =
      "'order', '1', idempotency_key => 'k', on_key_mismatch => 'restart_failed'";

  @Test
  @DisplayName("given a server that does not know turns, then no run waits until it stops")
  @Tag("turns-F12")
  void earlierServer() throws Exception {
    try (var deployment = Deployment.start();
        var caller = QueueCaller.to(deployment.target())) {
      var earlier = UUID.randomUUID();
      deployment
          .database()
          .execute(
              "INSERT INTO hapax.node (id, version, features) VALUES ('%s', '0.0.1', 1)"
                  .formatted(earlier));
      assertThat(hasTurns(caller)).isFalse();
      var refusal = Refusal.of(() -> caller.queue("t"));
      assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UNAVAILABLE);
      assertThat(refusal.saysWhenToRetry()).isTrue();
      assertThat(refusal.message()).contains("earlier version", "turns");
      var timed = caller.runs().start("order").setStartTimeout(Caller.millis(60_000));
      assertThat(Refusal.of(() -> caller.runs().send(timed)).code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(caller.runs().list()).isEmpty();
      assertThat(caller.hooks().owner("t").getId()).as("other policies").isNotEmpty();

      deployment.database().execute("DELETE FROM hapax.node WHERE id = '%s'".formatted(earlier));
      assertThat(hasTurns(caller)).isTrue();
      caller.waits("t");
      assertThat(deployment.database().query("SELECT feature FROM hapax.required_feature"))
          .isEqualTo("2");
    }
  }

  @Test
  @DisplayName(
      "given a server that would retry a run without its key, then no start takes a key until it"
          + " stops")
  void takenKey() throws Exception {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target());
        var sql = SqlCaller.to(deployment.database(), caller)) {
      var earlier = UUID.randomUUID();
      var database = deployment.database();
      database.execute(
          "INSERT INTO hapax.node (id, version, features) VALUES ('%s', '0.0.1', 1)"
              .formatted(earlier));
      caller.define("order", RunCaller.task("charge"));
      var id = caller.send(caller.start("order").setIdempotencyKey("k")).getRun().getId();
      var failure =
          caller.failure(caller.poll("worker").getClaim(), FailureKind.FAILURE_KIND_FINAL);
      var _ = caller.worker().failTask(failure.build());
      var corrected =
          caller
              .start("order")
              .setIdempotencyKey("k")
              .setInput(Caller.json("1"))
              .setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED);
      var before = caller.get(id);

      var refusal = Refusal.of(() -> caller.send(corrected));
      assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refusal.saysWhenToRetry()).isTrue();
      assertThat(refusal.message()).contains("earlier version");
      assertThatThrownBy(() -> sql.post("start_run", BY_SQL))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("HX004"));
      assertThat(caller.get(id)).isEqualTo(before);
      assertThat(database.query("SELECT feature FROM hapax.required_feature")).isEqualTo("0");

      database.execute("DELETE FROM hapax.node WHERE id = '%s'".formatted(earlier));
      assertThat(caller.send(corrected).getSupersededRunIdsList()).containsExactly(id);
      assertThat(database.query("SELECT feature FROM hapax.required_feature")).isEqualTo("2");
    }
  }

  @Test
  @DisplayName(
      "given a server that would grant every step, then no limit is declared until it stops")
  void limits() throws Exception {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target())) {
      var earlier = UUID.randomUUID();
      deployment
          .database()
          .execute(
              "INSERT INTO hapax.node (id, version, features) VALUES ('%s', '0.0.1', 1)"
                  .formatted(earlier));
      var step = LimitCaller.step("call", LimitCaller.limit(1));
      var refusal = Refusal.of(() -> caller.define("order", step));
      assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refusal.saysWhenToRetry()).isTrue();
      deployment.database().execute("DELETE FROM hapax.node WHERE id = '%s'".formatted(earlier));
      caller.define("order", step);
    }
  }

  private static boolean hasTurns(QueueCaller caller) {
    return MonitoringServiceGrpc.newBlockingStub(caller.runs().caller().channel())
        .getServerInfo(GetServerInfoRequest.getDefaultInstance())
        .getServer()
        .getFeaturesList()
        .contains(ServerFeature.SERVER_FEATURE_TURNS);
  }
}
