package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.v1.ServerFeature;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ServerFeaturesTest {
  private static Set<ServerFeature> of(Map<String, String> flags) throws ConfigurationException {
    return ServerFeatures.switchedOn(ConfigReader.read(flags, Map.of(), Optional.empty()));
  }

  @Test
  @DisplayName("given the settings of a server, then its features are those that they switch on")
  void features() throws ConfigurationException {
    assertThat(
            of(
                Map.of(
                    "reflection", "false",
                    "console-listen", "off",
                    "authentication", "false")))
        .isEmpty();
    assertThat(
            of(
                Map.of(
                    "reflection", "true",
                    "metrics-listen", "127.0.0.1:9420",
                    "http-listen", "127.0.0.1:7421",
                    "console-listen", "127.0.0.1:7422",
                    "authentication", "true")))
        .containsExactlyInAnyOrder(
            ServerFeature.SERVER_FEATURE_REFLECTION,
            ServerFeature.SERVER_FEATURE_METRICS,
            ServerFeature.SERVER_FEATURE_HTTP,
            ServerFeature.SERVER_FEATURE_CONSOLE,
            ServerFeature.SERVER_FEATURE_AUTHENTICATION);
  }
}
