package dev.hapax.testing;

import dev.hapax.test.v1.TestServerServiceGrpc;
import dev.hapax.test.v1.TestServerServiceGrpc.TestServerServiceBlockingStub;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The test server: a process of this JVM, which ends when its standard input does, or another. */
final class TestServerProcess {

  private static @Nullable TestServerProcess ofThisJvm;

  private final String address;

  /** Kept, since its standard input is closed when it is collected; null = it is not ours. */
  @SuppressWarnings({"unused", "UnusedVariable"})
  private final @Nullable Process process;

  private final TestServerServiceBlockingStub stub;

  private TestServerProcess(String address, @Nullable Process process) {
    this.address = address;
    this.process = process;
    this.stub =
        TestServerServiceGrpc.newBlockingStub(
            Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build());
  }

  /** The one that all instances of this JVM share; started by the first call. */
  static synchronized TestServerProcess ofThisJvm() {
    TestServerProcess running = ofThisJvm;
    if (running == null) {
      running = find(System.getenv());
      ofThisJvm = running;
    }
    return running;
  }

  static TestServerProcess find(Map<String, String> variables) {
    String address = variables.getOrDefault("HAPAX_TEST_SERVER", "");
    if (!address.isEmpty()) {
      return new TestServerProcess(address, null);
    }
    String home = variables.getOrDefault("HAPAX_HOME", "");
    return start(home.isEmpty() ? "hapax" : Path.of(home, "hapax").toString());
  }

  private static TestServerProcess start(String program) {
    Process process;
    try {
      process =
          new ProcessBuilder(program, "test-server")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException missing) {
      throw new IllegalStateException(
          "no test server found: set HAPAX_HOME to a Hapax distribution or checkout, put its"
              + " `hapax` on the PATH, or set HAPAX_TEST_SERVER to the address of a running"
              + " `hapax test-server` ("
              + missing.getMessage()
              + ")",
          missing);
    }
    String address = firstLine(process);
    if (address == null) {
      throw new IllegalStateException(
          "`"
              + program
              + " test-server` ended before it served; see its messages on standard error, or run"
              + " it in a terminal");
    }
    return new TestServerProcess(address, process);
  }

  private static @Nullable String firstLine(Process process) {
    try {
      return new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
          .readLine();
    } catch (IOException closed) {
      return null;
    }
  }

  /**
   * Makes one call, and does not repeat it.
   *
   * @throws IllegalArgumentException with the message of the server: the request breaks a rule
   * @throws IllegalStateException with that message, for any other reason
   */
  <T> T call(Function<TestServerServiceBlockingStub, T> method) {
    try {
      return method.apply(stub);
    } catch (StatusRuntimeException refused) {
      Status status = refused.getStatus();
      String message = String.valueOf(status.getDescription());
      throw switch (status.getCode()) {
        case INVALID_ARGUMENT -> new IllegalArgumentException(message, refused);
        case UNAVAILABLE ->
            new IllegalStateException(
                "the test server at " + address + " does not respond: " + message, refused);
        default -> new IllegalStateException(message, refused);
      };
    }
  }
}
