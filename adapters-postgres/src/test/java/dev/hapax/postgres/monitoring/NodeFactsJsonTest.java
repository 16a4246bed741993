package dev.hapax.postgres.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.domain.monitoring.NodeFacts.Expiry;
import dev.hapax.domain.monitoring.NodeFacts.KeyCopy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NodeFactsJsonTest {
  @Test
  @DisplayName("what a server reports is read as it was written")
  void roundTrip() {
    var facts =
        new NodeFacts(
            4,
            Optional.of(new KeyCopy(12, Instant.parse("2026-11-30T10:00:00.5Z"))),
            Duration.ofMillis(-1_250),
            List.of(
                new Expiry("server", Instant.parse("2027-01-01T00:00:00Z")),
                new Expiry("client-ca", Instant.parse("2030-01-01T00:00:00Z"))));
    assertThat(NodeFactsJson.read(NodeFactsJson.print(facts))).isEqualTo(facts);
  }

  @Test
  @DisplayName("another version may report less or more")
  void otherVersions() {
    assertThat(NodeFactsJson.read("{\"later\":{\"a\":1},\"committers\":2}"))
        .isEqualTo(new NodeFacts(2, Optional.empty(), Duration.ZERO, List.of()));
  }
}
