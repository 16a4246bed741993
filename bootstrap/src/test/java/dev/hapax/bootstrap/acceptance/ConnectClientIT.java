package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client of the Connect protocol, which is not ours, calls by HTTP. */
@Tag("long")
class ConnectClientIT {
  private static final Path FOLDER = Path.of("..", "examples", "connect");

  /** Calls in more ways than an example needs. */
  private static final Path CALLS = Path.of("src", "test", "node", "connect.mjs").toAbsolutePath();

  private static final SecuredDeployment DEPLOYMENT = SecuredDeployment.shared();

  @BeforeAll
  static void install() throws IOException {
    Npm.prepare(FOLDER);
    // the protos may be newer than the package
    Npm.run(FOLDER, "generate");
  }

  private static HapaxProcess start(Map<String, String> environment, String... arguments) {
    var command = Stream.concat(Stream.of("node"), Stream.of(arguments)).toArray(String[]::new);
    return HapaxProcess.startProgram(FOLDER, environment, command);
  }

  private static Map<String, String> key() {
    return Map.of("HAPAX_API_KEY", DEPLOYMENT.admin().text());
  }

  /** What the program prints, which must succeed. */
  private static List<String> output(String... arguments) {
    try (var node = start(key(), arguments)) {
      assertThat(node.awaitExit()).as("%s", node.errors()).isZero();
      return node.output();
    }
  }

  /** No call of a client that has gone is left, and the log has no complaint. */
  private static void assertCalm() {
    for (var rpc : List.of("RunService/WatchRun", "WorkerService/PollTasks")) {
      Condition.await(
          rpc + " has ended",
          () ->
              !DEPLOYMENT
                  .metrics()
                  .matches("(?s).*calls_under_way\\{rpc=\"" + rpc + "\"} [1-9].*"));
    }
    assertThat(DEPLOYMENT.server().loggedErrors()).isEmpty();
  }

  private static String url() {
    return "http://" + DEPLOYMENT.http().target();
  }

  @Test
  @DisplayName("given the example, then it charges once, and watches its run to the end")
  void example() {
    assertThat(output("orders.js", url()))
        .containsExactly(
            "charged 3000 cents",
            "charged 3000 cents, by an earlier call",
            "the second start created no other run",
            "1 CREATED",
            "the watch ended: Canceled",
            "1 CREATED",
            "the watch ended: DeadlineExceeded",
            "1 CREATED",
            "2 STEP_STARTED",
            "3 STEP_COMPLETED",
            "4 COMPLETED",
            "shipped: true",
            "not cancelled: FailedPrecondition ILLEGAL_TRANSITION");
    assertCalm();
  }

  @Test
  @DisplayName("given no API key, then the example ends with the error of the server")
  void noKey() {
    try (var node = start(Map.of("HAPAX_API_KEY", ""), "orders.js", url())) {
      assertThat(node.awaitExit()).isNotZero();
      assertThat(String.join("\n", node.errors())).contains("[unauthenticated]");
    }
    try (var node = start(key(), "orders.js", "http://hapax.example.com:7421")) {
      assertThat(node.awaitExit()).isNotZero();
      assertThat(String.join("\n", node.errors())).contains("is not sent to", "without TLS");
    }
  }

  @Test
  @DisplayName(
      "given each setting of the client, then it reads answers, streams and errors, and"
          + " repeats a call whose answer is lost")
  void settings() {
    assertThat(output(CALLS.toString(), url(), DEPLOYMENT.viewer().credential().orElseThrow()))
        .containsExactly(
            "protobuf by GET is understood",
            "protobuf by POST is understood",
            "JSON by GET is understood",
            "JSON by POST is understood",
            "2 lost answers are repeated");
    assertCalm();
  }
}
