package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.security.ApiKey;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.WhoAmIRequest;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A key is revoked while other reads of the server wait. */
@Tag("A4")
@Tag("long")
class RevocationUnderLoadIT {
  private static final int CALLS = 100;
  private static final Deployment DEPLOYMENT = Deployment.configured("--authentication");
  private static final ApiKeys KEYS = new ApiKeys(DEPLOYMENT.database());
  private static final ManagedChannel CHANNEL =
      ManagedChannelBuilder.forTarget(DEPLOYMENT.target()).usePlaintext().disableRetry().build();

  @AfterAll
  static void stop() {
    CHANNEL.shutdownNow();
    DEPLOYMENT.close();
  }

  private static Code code(ApiKey key) {
    try {
      var _ =
          ApiKeys.with(key, IdentityServiceGrpc.newBlockingStub(CHANNEL))
              .whoAmI(WhoAmIRequest.getDefaultInstance());
      return Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  @Test
  @DisplayName(
      "given scans that hang and a flood of GetServerInfo, when a key is revoked, then it is refused in 5 s")
  void revokes() throws SQLException {
    var viewer = KEYS.create("viewer", "role=viewer workspace=*");
    Condition.await("the key is accepted", () -> code(viewer) == Code.OK);
    try (var _ = lockRuns();
        var flood = new Flood(viewer)) {
      flood.start();
      Condition.await("the flood is answered", () -> flood.answered.get() > CALLS);

      Condition.holdsInOneOfThree(
          "a revoked key is refused in 5 s", () -> revoked().compareTo(Duration.ofSeconds(5)) < 0);
      assertThat(code(viewer)).isEqualTo(Code.OK);
    }
  }

  /** How long a revoked key is accepted. */
  private static Duration revoked() {
    var leaked = KEYS.create("leaked", "role=viewer workspace=*");
    Condition.await("the key is accepted", () -> code(leaked) == Code.OK);
    var start = System.nanoTime();
    KEYS.revoke(leaked);
    Condition.await("the key is refused", () -> code(leaked) == Code.UNAUTHENTICATED);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  @DisplayName("given calls with a key, then the hour of its last use is recorded")
  void recordsTheLastUse() {
    var used = KEYS.create("used", "role=viewer workspace=*");
    var unused = KEYS.create("unused", "role=viewer workspace=*");
    Condition.await("the key is accepted", () -> code(used) == Code.OK);
    Condition.await("its use is recorded", () -> lastUse(used).equals("t"));
    assertThat(lastUse(unused)).isEqualTo("null");
  }

  private static String lastUse(ApiKey key) {
    return DEPLOYMENT
        .database()
        .query(
            "SELECT bool_or(last_used_at = date_trunc('hour', now())) FROM hapax.api_key_use WHERE id = '%s'"
                .formatted(key.id()));
  }

  /** Scans for due runs wait for this lock until they time out. */
  private static Connection lockRuns() throws SQLException {
    var connection = DEPLOYMENT.database().connect();
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute("LOCK TABLE hapax.run");
    }
    return connection;
  }

  /** Calls that are repeated when they are answered. */
  private static final class Flood implements AutoCloseable {
    private final MonitoringServiceGrpc.MonitoringServiceStub stub;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger answered = new AtomicInteger();

    Flood(ApiKey key) {
      stub = ApiKeys.with(key, MonitoringServiceGrpc.newStub(CHANNEL));
    }

    void start() {
      IntStream.range(0, CALLS).forEach(_ -> call());
    }

    private void call() {
      stub.getServerInfo(
          GetServerInfoRequest.getDefaultInstance(),
          new StreamObserver<GetServerInfoResponse>() {
            @Override
            public void onNext(GetServerInfoResponse response) {}

            @Override
            public void onError(Throwable failure) {
              again();
            }

            @Override
            public void onCompleted() {
              again();
            }
          });
    }

    private void again() {
      answered.incrementAndGet();
      if (!closed.get()) {
        call();
      }
    }

    @Override
    public void close() {
      closed.set(true);
    }
  }
}
