package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.ClaimLostReason;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The threads of a client. Those of gRPC's executor are not counted: all channels of a process
 * share them, and they end a minute after the last call.
 */
@Tag("clients-J6")
@Timeout(60)
class HapaxCloseTest {

  private final Set<Thread> before = threads("");
  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private Server server;

  @BeforeEach
  void serve() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .directExecutor()
            .addService(hapax.store)
            .addService(hapax.monitoring)
            .build()
            .start();
  }

  @AfterEach
  void close() {
    server.shutdownNow();
    hapax.close();
  }

  private static Set<Thread> threads(String prefix) {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(each -> !each.getName().startsWith(prefix));
    return threads;
  }

  /** The threads of the client that were started since. */
  private Set<Thread> own() {
    Set<Thread> own = threads("hapax-");
    own.removeAll(before);
    return own;
  }

  private Hapax connect() {
    return Hapax.builder(Map.of())
        .server("127.0.0.1:" + server.getPort())
        .recordTimeout(Duration.ofMillis(1))
        .connect();
  }

  @Test
  @DisplayName("given a client without open calls, then it has at most 2 threads, after close none")
  void idle() {
    try (Hapax client = connect()) {
      assertThat(own()).isEmpty();
      client.serverInfo();
      client.once("charge", "r-1", claim -> assertThat(own()).hasSizeLessThanOrEqualTo(2));
      assertThat(own()).hasSizeLessThanOrEqualTo(2);
    }
    Conditions.until(() -> own().isEmpty());
  }

  @Test
  @DisplayName("given work that still runs, when the client is closed, then its threads end")
  void working() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Operation operation = Operation.of("charge", "r-1").lease(Duration.ofHours(24));
    Hapax client = connect();
    CompletableFuture<Void> work =
        OwnThread.run(
            () ->
                client.<String, RuntimeException>once(
                    operation,
                    Codec.text(),
                    claim -> {
                      begun.countDown();
                      await(end);
                      // else the record of a claim that is held is repeated until it expires
                      claim.lease().revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
                      return "done";
                    }));
    begun.await();
    assertThat(own()).isNotEmpty();

    client.close();

    Conditions.until(() -> own().isEmpty());
    end.countDown();
    assertThatThrownBy(work::join).hasCauseInstanceOf(HapaxException.class);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Test
  @DisplayName("given a channel of the caller, when the client is closed, then it stays open")
  void channelOfTheCaller() {
    Hapax first = Hapax.builder(Map.of()).channel(hapax.channel).connect();
    first.workspace("other").actor("ann").close();

    for (Hapax each : List.of(first, Hapax.builder().channel(hapax.channel).connect())) {
      assertThat(each.serverInfo().getVersion()).isEqualTo("0.0.7");
    }
    assertThat(hapax.channel.isShutdown()).isFalse();
  }
}
