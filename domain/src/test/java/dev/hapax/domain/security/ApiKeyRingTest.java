package dev.hapax.domain.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ApiKeyRingTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final Random RANDOM = new Random(3);

  private final ApiKey key = ApiKey.create(RANDOM::nextInt);

  private StoredApiKey stored(Optional<Instant> expires, Optional<Instant> revoked) {
    var principal =
        new Principal(
            Principal.Kind.API_KEY,
            "billing",
            List.of(RoleGrant.parse("role=viewer workspace=eu")));
    return new StoredApiKey(
        key.id(), key.secretHash(), principal, NOW.minusSeconds(60), "root", expires, revoked);
  }

  private Optional<StoredApiKey> found(StoredApiKey stored, ApiKey presented) {
    return new ApiKeyRing(1, List.of(stored)).find(presented, NOW);
  }

  @Test
  @DisplayName("given a live key, when it is presented, then it is found")
  void findsALiveKey() {
    assertThat(found(stored(Optional.empty(), Optional.empty()), key)).isPresent();
    assertThat(found(stored(Optional.of(NOW.plusNanos(1)), Optional.empty()), key)).isPresent();
  }

  @Test
  @DisplayName("given an expired or revoked key, when it is presented, then it is not found")
  void refusesADeadKey() {
    assertThat(found(stored(Optional.of(NOW), Optional.empty()), key)).isEmpty();
    assertThat(found(stored(Optional.empty(), Optional.of(NOW)), key)).isEmpty();
  }

  @Test
  @DisplayName("given another secret or an unknown id, when it is presented, then it is not found")
  void refusesAnotherSecret() {
    var live = stored(Optional.empty(), Optional.empty());
    var other = ApiKey.create(RANDOM::nextInt);
    assertThat(found(live, new ApiKey(key.id(), other.secret()))).isEmpty();
    assertThat(found(live, new ApiKey(other.id(), key.secret()))).isEmpty();
    assertThat(ApiKeyRing.EMPTY.find(new ApiKey(other.id(), "" + other.secret()), NOW)).isEmpty();
  }
}
