package dev.hapax.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Codec;
import dev.hapax.client.Handler;
import dev.hapax.client.HapaxException;
import dev.hapax.client.Value;
import dev.hapax.client.Worker;
import dev.hapax.testserver.TestServerMain;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code TestHapax} with the program that it starts. */
@Timeout(60)
class TestHapaxTest {
  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");
  private static final String ORDER =
      """
      {"name": "order", "version": "1", "steps": [{"name": "main", "code": {"queue": "orders"}}]}
      """;

  private static TestServerProcess server;
  private TestHapax hapax;
  private Optional<Worker> worker = Optional.empty();

  @BeforeAll
  static void startServer(@TempDir Path home) throws IOException {
    var program =
        Files.writeString(
            home.resolve("hapax"),
            "#!/bin/sh\nexec '%s/bin/java' --enable-native-access=ALL-UNNAMED -cp '%s' %s\n"
                .formatted(
                    System.getProperty("java.home"),
                    System.getProperty("java.class.path"),
                    TestServerMain.class.getName()));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    server = TestServerProcess.find(Map.of("HAPAX_HOME", home.toString()));
  }

  @BeforeEach
  void start() {
    hapax = new TestHapax(server);
    hapax.client().definitions().register(ORDER);
  }

  @AfterEach
  void close() {
    worker.ifPresent(Worker::close);
    hapax.close();
  }

  private void startWorker(Handler handler) {
    worker = Optional.of(hapax.client().worker().step("orders", "order", "main", handler).start());
  }

  private static Value text(String text) {
    return new Value.Json('"' + text + '"');
  }

  private String startOrder() {
    return hapax.client().runs().start("order").run().id();
  }

  private String result(String run) {
    return hapax.client().runs().result(run, Codec.jsonText(), Duration.ofSeconds(10));
  }

  @Test
  @Tag("clients-J11")
  @DisplayName("given a workflow that sleeps for 14 days, when the clock advances, then it ends")
  void fourteenDays() {
    startWorker(
        task -> {
          var charged = task.record("charge", Codec.text(), id -> "charged");
          task.suspend("right-to-withdraw", Duration.ofDays(14));
          return text(charged + ", shipped");
        });
    var run = startOrder();

    hapax.advance(Duration.ofDays(14).minusSeconds(1));
    assertThat(hapax.client().runs().get(run).status()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    hapax.advance(Duration.ofSeconds(1));

    assertThat(result(run)).isEqualTo("\"charged, shipped\"");
    assertThat(hapax.now()).isEqualTo(BEGINNING.plus(Duration.ofDays(14)));
  }

  @Test
  @DisplayName("given a held task, when the clock advances past it, then its lease expires")
  void pastHolders() throws InterruptedException {
    var executions = new AtomicInteger();
    var first = new CountDownLatch(1);
    var abandoned = new CountDownLatch(1);
    startWorker(
        task -> {
          var execution = executions.incrementAndGet();
          if (execution == 1) {
            first.countDown();
            abandoned.await();
          }
          return text("execution " + execution);
        });
    var run = startOrder();
    first.await();

    hapax.advancePastHolders(Duration.ofHours(1));
    abandoned.countDown();
    hapax.settle();

    assertThat(result(run)).isEqualTo("\"execution 2\"");
  }

  @Test
  @DisplayName("given a time out of bounds, then the message of the server is in the exception")
  void refused() {
    assertThatThrownBy(() -> hapax.advance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("by must be");
    assertThat(hapax.now()).isEqualTo(BEGINNING);
  }

  @Test
  @DisplayName("given two instances, then each has its own runs, until it is closed")
  void apart() {
    var other = new TestHapax(server);
    var run = startOrder();

    assertThatThrownBy(() -> other.client().runs().get(run))
        .isInstanceOf(HapaxException.Refused.class);
    other.close();
    other.close();

    assertThatThrownBy(other::settle)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("there is no instance");
    assertThat(hapax.client().runs().get(run).id()).isEqualTo(run);
  }
}
