package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadyCommandTest {
  private final HttpServer server;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private int status = 200;
  private String asked = "";

  ReadyCommandTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            asked = exchange.getRequestURI().getPath();
            var body = "database: ok\n".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private int port() {
    return server.getAddress().getPort();
  }

  private int ready(Map<String, String> environment, String... arguments) {
    var all = new String[arguments.length + 1];
    all[0] = "ready";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return HapaxCommand.commandLine(environment)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }

  @ParameterizedTest
  @CsvSource({"200, 0", "503, 1", "404, 1"})
  @DisplayName("given the answer of /readyz, then the exit code says whether the server is ready")
  void tellsByItsExitCode(int answered, int code) {
    status = answered;
    assertThat(ready(Map.of(), "127.0.0.1:" + port())).isEqualTo(code);
    assertThat(asked).isEqualTo("/readyz");
    assertThat(out.toString()).isEqualTo("database: ok\n");
  }

  @Test
  @DisplayName("given the settings of a server on every address, then it is asked on this machine")
  void asksTheServerOfTheSettings() {
    var settings =
        Map.of("HAPAX_METRICS_LISTEN", "0.0.0.0:" + port(), "HAPAX_INSECURE_METRICS", "true");
    assertThat(ready(settings)).isZero();
    assertThat(out.toString()).isEqualTo("database: ok\n");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  @DisplayName("given no server, then the error names the address")
  void namesTheAddress() {
    var address = "127.0.0.1:" + port();
    server.stop(0);
    assertThat(ready(Map.of(), address)).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("hapax: no server answers at http://%s/readyz: ".formatted(address))
        .hasLineCount(1);
  }

  @Test
  @DisplayName("given no address or a wrong one, then the error says what is missing")
  void saysWhatIsMissing() {
    assertThat(ready(Map.of())).isEqualTo(2);
    assertThat(err.toString()).startsWith("hapax: set --metrics-listen to the address");
    assertThat(ready(Map.of(), "http://127.0.0.1:1")).isEqualTo(2);
    assertThat(err.toString()).contains("must be HOST:PORT, without http://");
  }
}
