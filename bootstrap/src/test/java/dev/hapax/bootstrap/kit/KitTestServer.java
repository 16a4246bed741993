package dev.hapax.bootstrap.kit;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.regex.Pattern;

/** A test server for the tests of the kits. It ends with this JVM. */
public final class KitTestServer {
  private static final Path JAR = Path.of("..", "test-server", "target", "hapax-test-server.jar");
  private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:\\d+");

  private KitTestServer() {}

  /** Starts it at its first use. */
  private static final class Started {
    static final Path HOME = home();
    private static final HapaxProcess PROCESS =
        HapaxProcess.startProgram(HOME, HOME.resolve("hapax").toString(), "test-server");
    static final String ADDRESS_OF_IT =
        PROCESS.awaitOutput(line -> ADDRESS.matcher(line).matches());
  }

  /** A folder with a program {@code hapax} that builds nothing: this build is under way. */
  private static Path home() {
    try {
      var home = Files.createDirectories(Path.of("target", "kits", "test-server")).toAbsolutePath();
      var script = home.resolve("hapax");
      Files.writeString(
          script,
          """
          #!/bin/sh
          shift
          exec '%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -jar '%s' "$@"
          """
              .formatted(
                  Path.of(System.getProperty("java.home"), "bin", "java"), JAR.toAbsolutePath()));
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The variables by which a kit finds it, or starts another one. */
  public static Map<String, String> variables() {
    return Map.of(
        "HAPAX_TEST_SERVER", Started.ADDRESS_OF_IT, "HAPAX_HOME", Started.HOME.toString());
  }
}
