package dev.hapax.bootstrap.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ServeEnvironmentIT {
  @Test
  @DisplayName("given a namespace with a Service hapax, then a server starts, and logs what it is")
  void startsBesideAService() throws Exception {
    var environment =
        Map.of(
            "HAPAX_SERVICE_HOST", "10.96.7.1",
            "HAPAX_SERVICE_PORT", "7420",
            "HAPAX_PORT", "tcp://10.96.7.1:7420",
            "HAPAX_PORT_7420_TCP", "tcp://10.96.7.1:7420",
            "HAPAX_PORT_7420_TCP_ADDR", "10.96.7.1",
            "HAPAX_DRAN", "1s");
    try (var database = TestDatabase.create();
        var hapax =
            HapaxProcess.start(
                environment, "serve", "--listen=127.0.0.1:0", "--database-url=" + database.url())) {
      var address = hapax.awaitReady();
      hapax.awaitError(line -> line.contains("HAPAX_DRAN"));
      assertThat(hapax.errors())
          .filteredOn(line -> line.contains(" WARN ") && !line.contains(" DatabaseStart: "))
          .singleElement()
          .asString()
          .contains("ignoring unknown variable HAPAX_DRAN; did you mean HAPAX_DRAIN?");

      // a browser, or a scraper with the wrong port
      speakHttp(address);
      hapax.terminate();
      assertThat(hapax.awaitExit()).isZero();
      assertThat(hapax.errors()).noneMatch(line -> line.contains("xception"));
    }
  }

  /** Until the server ends the connection. */
  private static void speakHttp(String address) throws Exception {
    var colon = address.lastIndexOf(':');
    try (var socket =
        new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))) {
      socket
          .getOutputStream()
          .write("GET /metrics HTTP/1.1\r\nHost: hapax\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      var _ = socket.getInputStream().readAllBytes();
    }
  }

  @Test
  @DisplayName("given a host that does not resolve, then a command says one line and no more")
  void unknownHost() {
    try (var hapax = HapaxProcess.start("run", "get", "run_x", "--server", "nosuch.invalid:7420")) {
      assertThat(hapax.awaitExit()).isEqualTo(1);
      assertThat(hapax.errors())
          .containsExactly(
              "hapax: cannot resolve the host of nosuch.invalid:7420: check --server or"
                  + " HAPAX_SERVER");
    }
  }
}
