package dev.hapax.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings that the package for Debian installs, and its service. */
class SettingsFileTest {
  private static final String FILE = Repository.text("deploy/debian/hapax.properties");

  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName(
      "given the file as it is installed, then a server accepts it, and listens on loopback")
  void isSafe() throws Exception {
    var config = new ServerSettings(folder).read(FILE, Map.of());
    assertThat(config.listen()).hasToString("127.0.0.1:7420");
    assertThat(config.metricsListen()).hasToString("Optional[127.0.0.1:9420]");
  }

  @Test
  @DisplayName("given the file as it is installed, then systemd waits until the server gives up")
  void stops() throws Exception {
    var config = new ServerSettings(folder).read(FILE, Map.of());
    assertThat(Repository.text("deploy/systemd/hapax.service").lines())
        .contains("TimeoutStopSec=" + config.stopTimeout().toSeconds());
  }

  @Test
  @DisplayName(
      "given all of its proposals, then a server accepts them, with TLS and authentication")
  void proposesTheRest() throws Exception {
    var proposals =
        FILE.replaceAll("(?m)^#([a-z-]+ = )", "$1").replace("listen = 127.0.0.1:7420\n", "");
    var config = new ServerSettings(folder).read(proposals, Map.of());
    assertThat(config.listen()).hasToString("0.0.0.0:7420");
    assertThat(config.tls()).isPresent();
    assertThat(config.authentication()).isTrue();
  }
}
