package dev.hapax.grpc.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ServerFeature;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ServerFactsTest {
  @Test
  @DisplayName(
      "given a server, then it lists what every server of its version has, what is switched on, and"
          + " the newer features that all servers know")
  void features() {
    assertThat(new ServerFacts("1", Set.of()).features(0))
        .containsExactly(
            ServerFeature.SERVER_FEATURE_STREAMS,
            ServerFeature.SERVER_FEATURE_SQL_INTENTS,
            ServerFeature.SERVER_FEATURE_SQL_COMPLETIONS);
    assertThat(new ServerFacts("1", Set.of(ServerFeature.SERVER_FEATURE_HTTP)).features(1))
        .containsExactly(
            ServerFeature.SERVER_FEATURE_STREAMS,
            ServerFeature.SERVER_FEATURE_HTTP,
            ServerFeature.SERVER_FEATURE_SQL_INTENTS,
            ServerFeature.SERVER_FEATURE_SQL_COMPLETIONS,
            ServerFeature.SERVER_FEATURE_PARTS);
    assertThat(new ServerFacts("1", Set.of()).features(Integer.MAX_VALUE))
        .contains(ServerFeature.SERVER_FEATURE_PARTS, ServerFeature.SERVER_FEATURE_TURNS);
  }
}
