package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.ServerFeature;
import io.grpc.Status.Code;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Parts while a server of an earlier version works on the same database. */
class PartsGateIT {
  @Test
  @DisplayName(
      "given a server that does not know parts, then failures and beginnings of parts are refused"
          + " until it stops, and outputs are accepted")
  void earlierServer() throws Exception {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target())) {
      var earlier = UUID.randomUUID();
      deployment
          .database()
          .execute(
              "INSERT INTO hapax.node (id, version, features) VALUES ('%s', '0.0.1', 0)"
                  .formatted(earlier));
      caller.define("order", RunCaller.task(PartCaller.STEP));
      var parts = new PartCaller(caller);
      var task = parts.begun("order");
      assertThat(hasParts(caller)).isFalse();
      var refusal = Refusal.of(() -> parts.send(task.getClaim(), PartCaller.begin("pay")));
      assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UNAVAILABLE);
      assertThat(refusal.saysWhenToRetry()).isTrue();
      assertThat(refusal.message()).contains("earlier version");
      assertThat(parts.send(task.getClaim(), PartCaller.output("a", "1")).hasParts()).isTrue();

      deployment.database().execute("DELETE FROM hapax.node WHERE id = '%s'".formatted(earlier));
      assertThat(hasParts(caller)).isTrue();
      assertThat(parts.report(task.getClaim(), PartCaller.begin("pay")).getBegun().getInDoubt())
          .isFalse();
      assertThat(deployment.database().query("SELECT feature FROM hapax.required_feature"))
          .isEqualTo("1");
    }
  }

  private static boolean hasParts(RunCaller caller) {
    return MonitoringServiceGrpc.newBlockingStub(caller.caller().channel())
        .getServerInfo(GetServerInfoRequest.getDefaultInstance())
        .getServer()
        .getFeaturesList()
        .contains(ServerFeature.SERVER_FEATURE_PARTS);
  }
}
