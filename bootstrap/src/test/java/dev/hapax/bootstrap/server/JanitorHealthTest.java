package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JanitorHealthTest {
  private static final Instant DECLARED = Instant.parse("2030-01-01T00:00:00Z");
  private static final String BILLING = "hapax.v1.JanitorService/default/billing";

  private final HapaxServer server =
      new HapaxServer(
          new GrpcServerConfig(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), false, Duration.ZERO),
          Set.of(),
          Optional.empty(),
          Optional.empty());
  private List<JanitorStatus> watched = List.of();
  private final JanitorHealth health = new JanitorHealth(() -> watched, server);
  private ManagedChannel channel = ManagedChannelBuilder.forTarget("127.0.0.1:1").build();

  @BeforeEach
  void start() throws Exception {
    channel.shutdownNow();
    channel = ManagedChannelBuilder.forTarget("127.0.0.1:" + server.start()).usePlaintext().build();
    server.setServing(true);
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow();
    server.stop();
  }

  private static ServingStatus health(Channel channel, String service) {
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .check(HealthCheckRequest.newBuilder().setService(service).build())
        .getStatus();
  }

  /** The janitor, looked at so long after it last looked, or was declared. */
  private static JanitorStatus after(String module, Duration time) {
    var contract =
        new JanitorContract(
            module,
            Set.of("closing"),
            JanitorTiming.of(Duration.ofMinutes(5), Duration.ofMinutes(2)),
            JanitorMode.REMOTE);
    return new JanitorStatus(
        new JanitorId(Workspace.DEFAULT, module),
        new Janitor(
            Optional.of(contract),
            DECLARED,
            Map.of("invoices", new RequiredClaimStates("invoices", module, Set.of("closing"))),
            Attribution.SERVER),
        Optional.of(new SweepRound(DECLARED, 0, true, Optional.of(DECLARED))),
        DECLARED.plus(time));
  }

  @Test
  @DisplayName("a janitor that is overdue is NOT_SERVING, and nothing else is")
  void overdue() {
    watched = List.of(after("billing", Duration.ofSeconds(150)), after("mail", Duration.ZERO));
    health.check();
    assertThat(health(channel, BILLING)).isEqualTo(ServingStatus.SERVING);

    watched = List.of(after("billing", Duration.ofSeconds(151)), after("mail", Duration.ZERO));
    health.check();
    assertThat(health(channel, BILLING)).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(health(channel, BILLING.replace("billing", "mail")))
        .isEqualTo(ServingStatus.SERVING);
    assertThat(health(channel, "")).isEqualTo(ServingStatus.SERVING);

    watched = List.of(after("billing", Duration.ofSeconds(1)));
    health.check();
    assertThat(health(channel, BILLING)).isEqualTo(ServingStatus.SERVING);
  }

  @Test
  @DisplayName("one that has promised nothing has no health")
  void undeclared() {
    watched =
        List.of(
            new JanitorStatus(
                new JanitorId(Workspace.DEFAULT, "billing"),
                Janitor.NONE,
                Optional.empty(),
                DECLARED));
    health.check();
    assertThatThrownBy(() -> health(channel, BILLING)).hasMessageContaining("NOT_FOUND");
  }
}
