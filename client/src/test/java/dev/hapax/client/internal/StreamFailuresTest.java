package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.LogRecorder;
import io.grpc.Status;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StreamFailuresTest {

  private static final Status REVOKED = Status.UNAUTHENTICATED.withDescription("revoked");

  private final StreamFailures failures = new StreamFailures("hapax.example:7420");

  @Test
  @DisplayName("given a revoked key, then pauses between streams grow, and each change is logged")
  void revoked() {
    try (var log = LogRecorder.of(StreamFailures.class)) {
      failures.received();
      assertThat(failures.ended(true, REVOKED)).contains(Duration.ofSeconds(5));
      assertThat(failures.ended(false, REVOKED)).contains(Duration.ofSeconds(10));
      assertThat(failures.ended(false, REVOKED)).contains(Duration.ofSeconds(20));
      assertThat(failures.ended(false, REVOKED)).contains(Duration.ofSeconds(30));
      assertThat(failures.ended(false, REVOKED)).contains(Duration.ofSeconds(30));
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0)).startsWith("ERROR the worker's stream was rejected");

      failures.ended(false, Status.PERMISSION_DENIED);
      assertThat(log.lines()).hasSize(2);

      failures.received();
      failures.received();
      assertThat(log.lines()).hasSize(3);
      assertThat(log.lines().get(2)).isEqualTo("INFO the worker's stream is accepted again");
      assertThat(failures.ended(true, REVOKED)).contains(Duration.ofSeconds(5));
    }
  }

  @Test
  @DisplayName("given an outage, then it is logged once, with what to do, and so is its end")
  void outage() {
    try (var log = LogRecorder.of(StreamFailures.class)) {
      failures.ended(true, Status.UNAVAILABLE);
      assertThat(log.lines()).as("one server restarts").isEmpty();
      failures.ended(false, Status.UNAVAILABLE);
      failures.ended(false, Status.UNAVAILABLE);
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0))
          .startsWith("WARN cannot reach Hapax at hapax.example:7420, will retry until it answers");

      failures.received();
      failures.received();
      assertThat(log.lines()).hasSize(2);
      assertThat(log.lines().get(1)).isEqualTo("INFO Hapax at hapax.example:7420 answers again");
    }
  }
}
