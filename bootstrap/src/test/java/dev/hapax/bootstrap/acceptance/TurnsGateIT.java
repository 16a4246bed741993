package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.ServerFeature;
import io.grpc.Status.Code;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lines while a server of an earlier version works on the same database. */
class TurnsGateIT {
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
      assertThat(caller.runs().list()).isEmpty();
      assertThat(caller.hooks().owner("t").getId()).as("other policies").isNotEmpty();

      deployment.database().execute("DELETE FROM hapax.node WHERE id = '%s'".formatted(earlier));
      assertThat(hasTurns(caller)).isTrue();
      caller.waits("t");
      assertThat(deployment.database().query("SELECT feature FROM hapax.required_feature"))
          .isEqualTo("2");
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
