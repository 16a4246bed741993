package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.token.FakeIssuer;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.WhoAmIRequest;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Searches every output of a server and of commands for secrets. */
@Tag("A9")
@Tag("long")
class CanaryIT {
  private static final String ROLE = "hapax_canary";
  private static final String METRICS = "/metrics";
  private static final String CALLS = "errors of calls";
  private static final String SERVER = "standard error of the server";
  private static final String WEB = "errors by HTTP, and pages of the console";
  private static final String CONSOLE = "console on ";

  /** At this log level, gRPC logs all headers and the beginning of each message. */
  private static final String LEAKING_LOG =
      """
      <configuration>
        <contextListener class="ch.qos.logback.classic.jul.LevelChangePropagator"/>
        <appender name="stderr" class="ch.qos.logback.core.ConsoleAppender">
          <target>System.err</target>
          <encoder><pattern>%logger{0}: %msg%n</pattern></encoder>
        </appender>
        <logger name="io.grpc.netty" level="TRACE"/>
        <root level="WARN"><appender-ref ref="stderr"/></root>
      </configuration>
      """;

  private final Canaries canaries = new Canaries();
  private final Map<String, List<String>> outputs = new LinkedHashMap<>();

  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName(
      "given secrets wherever they can be, when calls succeed and fail, then no output has one [A9]")
  void shownNowhere() throws Exception {
    exercise(
        (database, password) -> {
          serve(database, password, List.of());
          commands(database, password);
        });

    assertThat(canaries.size()).isGreaterThan(10);
    assertThat(canaries.find(outputs)).isEmpty();
    assertThat(has(SERVER, "(error_id ")).isTrue();
    assertThat(has(SERVER, " audit: {")).isTrue();
    assertThat(has(CALLS, "INVALID_ARGUMENT")).isTrue();
    assertThat(has(CALLS, "INTERNAL")).isTrue();
    for (var stream :
        List.<MethodDescriptor<?, ?>>of(
            OperationServiceGrpc.getOperationStreamMethod(),
            RunServiceGrpc.getStartRunStreamMethod(),
            WorkerServiceGrpc.getWorkMethod())) {
      var name = stream.getFullMethodName();
      assertThat(outputs.get(CALLS))
          .anyMatch(text -> text.startsWith(name + " error code: 3"))
          .anyMatch(text -> text.startsWith(name + " error code: 13"))
          .anyMatch(text -> text.startsWith(name + " Status{code=INVALID_ARGUMENT"));
    }
    assertThat(has(METRICS, "hapax_serving")).isTrue();
    assertThat(has(WEB, "\"not_found\"")).isTrue();
    assertThat(has(WEB, "\"unauthenticated\"")).isTrue();
    assertThat(outputs.get(WEB))
        .filteredOn(line -> line.startsWith("{\"error\""))
        .anyMatch(end -> end.contains("\"invalid_argument\""))
        .anyMatch(end -> end.contains("\"not_found\""))
        .anyMatch(end -> end.contains("\"unauthenticated\""));
    assertThat(has(WEB, "PRINCIPAL_KIND_TOKEN")).isTrue();
    assertThat(has(WEB, "</html>")).isTrue();
  }

  @Test
  @DisplayName("given a log that leaks, then the same search finds the API key [A9]")
  void aLeakIsFound() throws Exception {
    var config = Files.writeString(folder.resolve("leaking.xml"), LEAKING_LOG);
    exercise(
        (database, password) ->
            serve(database, password, List.of("-Dlogback.configurationFile=" + config)));

    assertThat(canaries.find(outputs)).anyMatch(hit -> hit.startsWith("API key "));
  }

  private boolean has(String output, String text) {
    return outputs.getOrDefault(output, List.of()).stream().anyMatch(line -> line.contains(text));
  }

  /** What makes output. */
  private interface Exercise {
    void on(TestDatabase database, String password) throws Exception;
  }

  private void exercise(Exercise exercise) throws Exception {
    try (var database = TestDatabase.create()) {
      Migrations.migrate(database.dataSource());
      var password = canaries.make("database password");
      database.execute("CREATE ROLE %s LOGIN SUPERUSER PASSWORD '%s'".formatted(ROLE, password));
      try {
        exercise.on(database, password);
      } finally {
        database.execute("REASSIGN OWNED BY %1$s TO CURRENT_USER; DROP ROLE %1$s".formatted(ROLE));
      }
    }
  }

  private static List<String> credentials(TestDatabase database, String password) {
    return List.of(
        "--database-url=" + database.url().replaceFirst("\\?.*", ""),
        "--database-user=" + ROLE,
        "--database-password=" + password);
  }

  private void serve(TestDatabase database, String password, List<String> jvmFlags)
      throws Exception {
    var keys = new ApiKeys(database);
    var admin = canaries.add(keys.create("admin", "role=admin workspace=*"));
    var viewer = canaries.add(keys.create("viewer", "role=viewer workspace=*"));
    var metrics = FreePort.next();
    var issuer = new FakeIssuer();
    var issuers = issuer.configure(folder, "ops -> role=viewer workspace=*");
    var arguments = new ArrayList<>(credentials(database, password));
    arguments.addAll(
        List.of(
            "--verbose",
            "--listen=127.0.0.1:0",
            "--metrics-listen=127.0.0.1:" + metrics,
            "--http-listen=127.0.0.1:0",
            "--console-listen=127.0.0.1:0",
            "--token-issuers=" + issuers,
            "--authentication"));
    arguments.addFirst("serve");
    try (issuer;
        var server = HapaxProcess.start(jvmFlags, arguments.toArray(String[]::new))) {
      var errors = new ErrorTexts();
      var workspace = "";
      try (var anyone = Caller.to(server.awaitReady())) {
        workspace = anyone.workspace();
        call(anyone, errors, admin, database);
        refused(anyone, errors, viewer);
        strangers(anyone, errors);
      }
      keys(server.awaitReady(), admin);
      outputs.put(WEB, web(server, admin, issuer, workspace));
      outputs.put(METRICS, get(metrics));
      server.terminate();
      server.awaitExit();
      outputs.put(CALLS, errors.all());
      outputs.put("standard output of the server", server.output());
      outputs.put(SERVER, server.errors());
    }
  }

  private void call(Caller anyone, ErrorTexts errors, ApiKey key, TestDatabase database)
      throws InterruptedException {
    try (var caller = anyone.through(errors, ApiKeys.credentials(key))) {
      var calls = new CanaryCalls(canaries, caller);
      calls.prepare();
      calls.work();
      calls.mistakes();
      calls.faults(() -> failInserts(database, true));
      failInserts(database, false);
      database.killConnections();
      calls.mistakes();
    }
  }

  /** Makes the database reject rows, with a message that shows the row. */
  private static void failInserts(TestDatabase database, boolean fail) {
    for (var table : List.of("operation_result", "run", "run_event", "entity_event", "hook")) {
      database.execute(
          "ALTER TABLE hapax.%s ".formatted(table)
              + (fail
                  ? "ADD CONSTRAINT canary CHECK (workspace = '') NOT VALID"
                  : "DROP CONSTRAINT canary"));
    }
  }

  /** Calls that are denied. */
  private void refused(Caller anyone, ErrorTexts errors, ApiKey viewer) {
    try (var caller = anyone.through(errors, ApiKeys.credentials(viewer))) {
      new CanaryCalls(canaries, caller).mistakes();
    }
  }

  /** Calls with credentials that are not accepted. */
  private void strangers(Caller anyone, ErrorTexts errors) {
    for (var authorization :
        List.of(
            "Bearer eyJhbGciOiJub25lIn0." + canaries.make("token") + ".",
            "Bearer hpx_000000000000_" + canaries.make("unknown API key"),
            "Basic " + canaries.make("password of basic authentication"))) {
      try (var caller = anyone.through(errors, ApiKeys.credentials(authorization))) {
        CanaryCalls.call(
            () ->
                IdentityServiceGrpc.newBlockingStub(caller.channel())
                    .whoAmI(WhoAmIRequest.getDefaultInstance()));
      }
    }
  }

  /** Calls by HTTP and visits of the console, with credentials that are accepted or not. */
  private List<String> web(HapaxProcess server, ApiKey admin, FakeIssuer issuer, String workspace)
      throws Exception {
    var valid = issuer.sign(issuer.claims(Instant.now().plusSeconds(600)));
    var token = canaries.add("valid token", valid);
    var expired =
        canaries.add("expired token", issuer.sign(issuer.claims(Instant.now().minusSeconds(600))));
    var unknown = "hpx_000000000000_" + canaries.make("unknown API key by HTTP");
    var payload = canaries.make("payload by HTTP");
    var answers = new ArrayList<String>();
    try (var http = HttpClient.newHttpClient()) {
      var api = HttpCaller.to(server, http);
      Condition.await(
          "the issuer's keys are read",
          () ->
              api.as(token)
                  .call("hapax.v1.IdentityService/WhoAmI", "{}")
                  .body()
                  .contains("PRINCIPAL_KIND_TOKEN"));
      for (var credential : List.of(admin.text(), token, expired, unknown)) {
        for (var call :
            List.of(
                "IdentityService/WhoAmI {}",
                "RunService/GetRun {\"runId\":\"run_%s\"}".formatted("0".repeat(26)),
                "RunService/StartRun {\"definition\":\"gone\",\"input\":{\"json\":\"\\\"%s\\\"\"}}"
                    .formatted(payload),
                "RunService/StartRun {\"definition\":\"gone\",\"input\":\"%s\"}".formatted(payload),
                "RunService/StartRun {\"input\":{\"json\":\"%s".formatted(payload))) {
          var parts = call.split(" ", 2);
          answers.add(text(api.as(credential).call("hapax.v1." + parts[0], parts[1])));
        }
      }
      var run = started(api.as(admin), workspace, payload);
      for (var credential : List.of(admin.text(), token, expired, unknown)) {
        for (var watch :
            List.of(
                "{\"workspace\":\"%s\",\"runId\":\"%s\"}".formatted(workspace, run),
                "{\"runId\":\"run_%s\"}".formatted("0".repeat(26)),
                "{\"runId\":\"%s".formatted(payload),
                "{\"afterVersion\":\"%s\"}".formatted(payload))) {
          api.as(credential).endOf(watch).ifPresent(answers::add);
        }
      }
      var console = server.awaitOutput(line -> line.startsWith(CONSOLE));
      var visitor = new HttpVisitor(http, console.substring(CONSOLE.length()));
      for (var credential : List.of(unknown, expired, token, admin.text())) {
        answers.add(visitor.submit("/login", Map.of("credential", credential)).body());
        answers.add(visitor.get("/w/default/runs/gone").body());
        answers.add(visitor.get("/w/default/definitions").body());
      }
    }
    return answers.stream().flatMap(String::lines).toList();
  }

  /** A run whose events have this payload, which a watch of it may show. */
  private static String started(HttpCaller api, String workspace, String payload) {
    return api.send(
            RunServiceGrpc.getStartRunMethod(),
            StartRunRequest.newBuilder()
                .setWorkspace(workspace)
                .setDefinition(RunRpc.DEFINITION)
                .setInput(Caller.json('"' + payload + '"')))
        .getRun()
        .getId();
  }

  private static String text(HttpResponse<String> answer) {
    return answer.headers().map() + "\n" + answer.body();
  }

  /** Commands that have an API key or a private key, which is accepted or not. */
  private void keys(String target, ApiKey key) throws IOException {
    var unknown = "hpx_000000000000_" + canaries.make("unknown API key of a client");
    var broken =
        Files.writeString(
            folder.resolve("broken.key"),
            "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
                .formatted(canaries.make("broken private key")));
    TestCertificates.authority("canary").issue("localhost").writeTo(folder);
    var certificate = "--tls-cert=" + folder.resolve("tls.crt");
    var privateKey = canaries.addLines("private key", folder.resolve("tls.key"));
    var here = "--server=" + target;
    run(Map.of("HAPAX_API_KEY", key.text()), "run", List.of("list", here));
    run(Map.of("HAPAX_API_KEY", key.text()), "run", List.of("show", "no-run", here));
    run(Map.of("HAPAX_API_KEY", key.text()), "run", List.of("list", "--server=127.0.0.1:1"));
    run(Map.of("HAPAX_API_KEY", unknown), "run", List.of("list", here));
    run("run", List.of("list", here, certificate, "--tls-key=" + privateKey));
    run("run", List.of("list", here, certificate, "--tls-key=" + broken));
    run("serve", List.of("--listen=127.0.0.1:0", certificate, "--tls-key=" + broken));
  }

  /** Commands that have the password, in each place, with a database that answers or not. */
  private void commands(TestDatabase database, String password) {
    var url = database.url().replaceFirst("\\?.*", "");
    var away = "jdbc:postgresql://127.0.0.1:1/hapax";
    run("doctor", credentials(database, password));
    run("doctor", List.of("--database-url=" + url + "?user=" + ROLE + "&password=" + password));
    run("doctor", List.of("--database-url=" + away + "?password=" + password));
    run("doctor", List.of("--database-url=mysql://root:" + password + "@host/hapax"));
    run("serve", List.of("--database-url=" + away + "?password=" + password, "--database-wait=1s"));
    run("migrate", List.of("--database-url=" + away, "--database-password=" + password));
    run("key", List.of("list", "--database-url=" + away + "?password=" + password));
  }

  private void run(String command, List<String> options) {
    run(Map.of(), command, options);
  }

  private void run(Map<String, String> environment, String command, List<String> options) {
    var arguments = new ArrayList<>(options);
    arguments.addFirst(command);
    arguments.add("--verbose");
    try (var process = HapaxProcess.start(environment, arguments.toArray(String[]::new))) {
      process.awaitExit();
      var name = String.format(Locale.ROOT, "hapax %s %d", command, outputs.size());
      outputs.put(name + ", standard output", process.output());
      outputs.put(name + ", standard error", process.errors());
    }
  }

  private static List<String> get(int port) throws Exception {
    var address = URI.create(String.format(Locale.ROOT, "http://127.0.0.1:%d/metrics", port));
    try (var http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
          .body()
          .lines()
          .toList();
    }
  }
}
