package dev.hapax.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.ServerInfo;
import io.grpc.Grpc;
import io.grpc.Server;
import io.grpc.TlsServerCredentials;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Connections with TLS to a server on loopback. */
@Timeout(60)
class HapaxConnectionTest {

  private static final TestCertificates AUTHORITY = TestCertificates.authority("test");

  @TempDir private Path folder = Path.of("");
  private @Nullable Server server;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(SslAutoConfiguration.class, HapaxAutoConfiguration.class));

  @BeforeEach
  void serve() throws IOException {
    AUTHORITY.issue("localhost").writeTo(folder);
    Files.writeString(folder.resolve("ca.pem"), AUTHORITY.pem());
    server =
        Grpc.newServerBuilderForPort(
                0,
                TlsServerCredentials.create(
                    folder.resolve("tls.crt").toFile(), folder.resolve("tls.key").toFile()))
            .addService(
                new MonitoringServiceGrpc.MonitoringServiceImplBase() {
                  @Override
                  public void getServerInfo(
                      GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> answer) {
                    answer.onNext(
                        GetServerInfoResponse.newBuilder()
                            .setServer(ServerInfo.newBuilder().setVersion("1.2.3"))
                            .build());
                    answer.onCompleted();
                  }
                })
            .build()
            .start();
  }

  @AfterEach
  void close() {
    running().shutdownNow();
  }

  private Server running() {
    return Objects.requireNonNull(server);
  }

  private ApplicationContextRunner connected(String... properties) {
    return runner
        .withPropertyValues("hapax.server=localhost:" + running().getPort())
        .withPropertyValues(properties);
  }

  @Test
  @DisplayName("given an SSL bundle, or a file of authorities, then the server is trusted")
  void trusted() {
    connected(
            "hapax.tls.bundle=shop",
            "spring.ssl.bundle.pem.shop.truststore.certificate=" + folder.resolve("ca.pem"))
        .run(
            context ->
                assertThat(context.getBean(Hapax.class).serverInfo().getVersion())
                    .isEqualTo("1.2.3"));
    connected("hapax.tls.ca=" + folder.resolve("ca.pem"))
        .run(
            context ->
                assertThat(context.getBean(Hapax.class).serverInfo().getVersion())
                    .isEqualTo("1.2.3"));
  }

  @Test
  @DisplayName("given neither, then the server is not trusted")
  void untrusted() {
    connected("hapax.tls=true")
        .run(
            context ->
                assertThatThrownBy(
                        () ->
                            context
                                .getBean(Hapax.class)
                                .callTimeout(Duration.ofMillis(1))
                                .serverInfo())
                    .isInstanceOf(HapaxException.Unavailable.class));
  }
}
