package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServerWithoutPartsTest {

  private static final String TEXT = "the server lacks parts (version 0.0.7): upgrade the server";

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Hapax client = Hapax.builder().channel(hapax.channel).connect();

  @AfterEach
  void close() {
    hapax.close();
  }

  private Worker.Builder worker() {
    return client.worker().queue("orders", task -> null);
  }

  @Test
  @DisplayName("given a server without parts, then a worker does not start, nor poll")
  void refused() {
    hapax.monitoring.features = List.of();

    assertThatIllegalStateException().isThrownBy(() -> worker().start()).withMessage(TEXT);
    assertThat(hapax.faults.calls("poll")).isZero();
    assertThat(hapax.faults.calls("serverInfo")).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given an unreachable server, then the worker starts, and gets tasks when it answers")
  void unreachable() {
    hapax.faults.down(true);
    try (Worker worker = worker().start()) {
      assertThat(worker).isNotNull();
      assertThat(hapax.faults.calls("poll")).isZero();
      hapax.work.start("order", "orders/a");
      hapax.faults.down(false);
      Conditions.until(() -> hapax.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);
    }
    assertThat(hapax.faults.calls("poll")).isPositive();
  }

  @Test
  @DisplayName("given a server that turns out to lack parts, then the worker stops and says so")
  void refusedLater() {
    hapax.monitoring.features = List.of();
    hapax.faults.down(true);
    Worker worker = worker().start();
    hapax.faults.down(false);

    assertThatIllegalStateException().isThrownBy(worker::awaitStopped).withMessage(TEXT);
    assertThat(hapax.faults.calls("poll")).isZero();
  }

  @Test
  @DisplayName("given a worker that waits for a server, when it is closed, then it asks no more")
  void closed() {
    hapax.faults.down(true);
    Worker worker = worker().start();
    worker.close();
    int before = hapax.faults.calls("serverInfo");
    hapax.faults.down(false);

    assertThat(worker.drain(Duration.ofSeconds(5))).isTrue();
    assertThat(hapax.faults.calls("serverInfo")).isEqualTo(before);
    assertThat(hapax.faults.calls("poll")).isZero();
  }
}
