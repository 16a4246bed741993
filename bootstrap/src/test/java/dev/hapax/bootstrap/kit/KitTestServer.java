package dev.hapax.bootstrap.kit;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/** A test server for the tests of the kits. It ends with this JVM. */
public final class KitTestServer {
  private static final Path JAR = Path.of("..", "test-server", "target", "hapax-test-server.jar");
  private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:\\d+");

  private KitTestServer() {}

  /** Starts it at its first use. */
  private static final class Started {
    private static final HapaxProcess PROCESS =
        HapaxProcess.startProgram(
            Path.of("").toAbsolutePath(),
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-jar",
            JAR.toString());

    static final String ADDRESS_OF_IT =
        PROCESS.awaitOutput(line -> ADDRESS.matcher(line).matches());
  }

  /** The variables by which a kit finds it. */
  public static Map<String, String> variables() {
    return Map.of("HAPAX_TEST_SERVER", Started.ADDRESS_OF_IT);
  }
}
