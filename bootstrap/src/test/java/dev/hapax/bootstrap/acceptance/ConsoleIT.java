package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TestCertificates.Request;
import dev.hapax.testkit.tls.TlsClient;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console of a server. */
@Tag("long")
class ConsoleIT {
  private static final int DEFAULT_PORT = 7422;
  private static final String LISTEN = "HAPAX_CONSOLE_LISTEN";

  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("given keys of roles, when each visits, then it sees and may do what its role may")
  void roles() {
    try (var hapax = new ConsoleServer()) {
      var caller = new RunCaller(hapax.admin());
      caller.define("order", RunCaller.signal("approval", "go"));
      var run = caller.started("order");
      var page = hapax.page("runs/" + run);
      var cancel = page + "/cancel";
      var all = hapax.page("bulk/cancel");

      var stranger = hapax.visitor().get(page);
      assertThat(stranger.statusCode()).isEqualTo(303);
      assertThat(stranger.headers().firstValue("Location").orElse("")).startsWith("/login?next=");

      var viewer = hapax.visitor("viewer");
      assertThat(viewer.get(page).body())
          .contains(run, "api-key:viewer", "approval")
          .doesNotContain(cancel, page + "/signal");
      assertThat(viewer.submit(cancel, Map.of()).statusCode()).isEqualTo(403);
      assertThat(viewer.get("/w/other/runs").statusCode()).as("another workspace").isEqualTo(403);
      assertThat(hapax.visitor("webhook").get(page).statusCode()).isEqualTo(403);

      var application = hapax.visitor("application");
      assertThat(application.get(page).body()).contains(page + "/signal").doesNotContain(cancel);
      assertThat(application.submit(cancel, Map.of()).statusCode()).isEqualTo(403);
      assertThat(caller.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);

      var operator = hapax.visitor("operator");
      assertThat(operator.get(page).body()).contains(cancel).doesNotContain(page + "/signal");
      assertThat(operator.get(all).body()).contains("Cancel 1 run?");
      assertThat(operator.submit(cancel, Map.of("reason", "late")).statusCode()).isEqualTo(303);
      assertThat(caller.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
      assertThat(caller.events(run).getLast())
          .satisfies(
              event -> {
                assertThat(event.getActor()).isEqualTo("console");
                assertThat(event.getPrincipal()).isEqualTo("api-key:operator");
              });
      assertThat(hapax.server().errors())
          .noneMatch(line -> line.contains(" ERROR ") || line.startsWith("\tat "));
    }
  }

  @Test
  @DisplayName("given a visitor without a session, then the server reports no intruder")
  void stranger() {
    try (var hapax = new ConsoleServer()) {
      var stranger = hapax.visitor();
      assertThat(stranger.get(hapax.page("runs")).statusCode()).isEqualTo(303);
      assertThat(stranger.get("/login").statusCode()).isEqualTo(200);
      hapax.server().terminate();
      assertThat(hapax.server().awaitExit()).isZero();
      assertThat(hapax.server().errors()).noneMatch(line -> line.contains("unauthenticated"));
    }
  }

  @Test
  @DisplayName("given TLS, when the console is visited, then its cookie is sent over TLS only")
  void tls() throws Exception {
    var authority = TestCertificates.authority("servers");
    authority.issue(Request.of("localhost", "127.0.0.1")).writeTo(folder);
    try (var database = TestDatabase.create();
        var server =
            serve(
                database,
                "127.0.0.1:0",
                "--tls-cert=" + folder.resolve("tls.crt"),
                "--tls-key=" + folder.resolve("tls.key"),
                "--authentication");
        var http =
            HttpClient.newBuilder()
                .sslContext(TlsClient.of(authority, Optional.empty()).context())
                .build()) {
      var line = server.awaitOutput(each -> each.startsWith("console on "));
      assertThat(line).startsWith("console on https://127.0.0.1:");

      var answer = new HttpVisitor(http, line.substring("console on ".length())).get("/login");

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Set-Cookie").orElse(""))
          .startsWith("__Host-hapax=")
          .contains("; Path=/;", "; Secure", "; HttpOnly", "; SameSite=Strict");
    }
  }

  private static HapaxProcess serve(TestDatabase database, String console, String... options) {
    return serve(database, 0, console, options);
  }

  private static HapaxProcess serve(
      TestDatabase database, int port, String console, String... options) {
    var arguments =
        new ArrayList<>(
            List.of("serve", "--listen=127.0.0.1:" + port, "--database-url=" + database.url()));
    arguments.addAll(List.of(options));
    return HapaxProcess.start(Map.of(LISTEN, console), arguments.toArray(String[]::new));
  }

  @Test
  @DisplayName("given another process on the default port, then a server starts without a console")
  void defaultPortTaken() throws IOException {
    try (var _ = occupied();
        var database = TestDatabase.create();
        var server = serve(database, FreePort.next(), "")) {
      var _ = server.awaitReady();
      server.awaitError(
          line -> line.contains(" WARN ") && line.contains("this server has no console"));
      assertThat(server.output()).noneMatch(line -> line.startsWith("console on"));
    }
  }

  /** Takes the default port unless another process has it. */
  private static ServerSocket occupied() throws IOException {
    try {
      return new ServerSocket(DEFAULT_PORT, 1, InetAddress.getLoopbackAddress());
    } catch (BindException _) {
      return new ServerSocket();
    }
  }

  @Test
  @DisplayName("given another process on a port that is asked for, then the server does not start")
  void portTaken() throws IOException {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var database = TestDatabase.create();
        var server = serve(database, "127.0.0.1:" + other.getLocalPort())) {
      assertThat(server.awaitExit()).isNotZero();
      assertThat(server.errors())
          .anyMatch(
              line ->
                  line.contains("127.0.0.1:" + other.getLocalPort())
                      && line.contains("console-listen"))
          .noneMatch(line -> line.startsWith("\tat "));
    }
  }
}
