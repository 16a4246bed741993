package dev.hapax.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.domain.DurationText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code deploy/compose.yaml}. No container runs in the build; the image has a test of its own. */
class ComposeFileTest {
  private static final String YAML = Repository.text("deploy/compose.yaml");
  private static final ComposeFile FILE = ComposeFile.parse(YAML);

  @Test
  @DisplayName("given an unknown or a repeated field, then the file is not valid")
  void isRead() {
    assertThat(FILE.services()).containsOnlyKeys("database", "migrate", "hapax");
    assertThatThrownBy(() -> ComposeFile.parse(YAML.replace("command:", "comand:")))
        .hasMessageContaining("comand");
    assertThatThrownBy(() -> ComposeFile.parse(YAML + "volumes: {}\n"))
        .hasMessageContaining("duplicate key volumes");
  }

  @Test
  @DisplayName("given the environment of the server, then it accepts it, and is ready by that")
  void configures() throws Exception {
    var server = FILE.service("hapax");
    var config = ConfigReader.read(Map.of(), server.environment(), Optional.empty());
    assertThat(config.listen().port()).isEqualTo(7420);
    assertThat(config.consoleListen())
        .hasValueSatisfying(
            console -> {
              assertThat(console.address().port()).isEqualTo(7422);
              assertThat(console.hosts()).contains("127.0.0.1", "localhost");
            });
    assertThat(server.environment()).containsEntry("HAPAX_MIGRATE", "off");
    assertThat(ConfigReader.warnings(server.environment()))
        .allSatisfy(warning -> assertThat(warning).contains("HAPAX_MIGRATE"));
    var test = Optional.ofNullable(server.healthcheck()).orElseThrow().test();
    assertThat(test).endsWith("/opt/hapax/app/hapax.jar", "ready");
    assertThat(config.metricsListen().map(HostPort::isLoopback)).contains(true);
    assertThat(DurationText.parse(String.valueOf(server.stopGracePeriod())))
        .isEqualTo(config.stopTimeout());
    for (var each : List.of("hapax", "migrate")) {
      ServerSettings.parse(Optional.ofNullable(FILE.service(each).command()).orElseThrow());
    }
  }

  @Test
  @DisplayName("other machines reach no port, because calls are not encrypted")
  void isLocal() {
    assertThat(FILE.services().values())
        .flatExtracting(service -> Optional.ofNullable(service.ports()).orElse(List.of()))
        .containsExactly("127.0.0.1:7420:7420", "127.0.0.1:7422:7422");
  }

  @Test
  @DisplayName("the server and the migration have the image of the version, and write only /tmp")
  void isRestricted() {
    assertThat(List.of(FILE.service("hapax"), FILE.service("migrate")))
        .allSatisfy(
            service -> {
              assertThat(service.image()).isEqualTo("hapax:" + Repository.version());
              assertThat(service.readOnly()).isTrue();
              assertThat(service.tmpfs()).containsExactly("/tmp");
              assertThat(service.capDrop()).containsExactly("ALL");
              assertThat(service.securityOpt()).containsExactly("no-new-privileges:true");
            });
  }

  @Test
  @DisplayName("the server starts after the migration, and that after the database")
  void starts() {
    var conditions =
        Map.of(
            "hapax",
            "migrate:service_completed_successfully",
            "migrate",
            "database:service_healthy");
    conditions.forEach(
        (service, condition) ->
            assertThat(FILE.service(service).dependsOn())
                .hasSize(1)
                .allSatisfy(
                    (name, dependency) ->
                        assertThat(name + ":" + dependency.condition()).isEqualTo(condition)));
    assertThat(FILE.service("database").healthcheck()).isNotNull();
    assertThat(FILE.service("database").volumes()).hasSameSizeAs(FILE.volumes().keySet());
  }
}
