package dev.hapax.application.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyRing;
import dev.hapax.domain.security.ApiKeyRow;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.Role;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.domain.security.UnreadableApiKey;
import dev.hapax.testkit.LogLines;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A4")
class ApiKeysTest {
  private static final ApiKey KEY = ApiKey.create(new Random(3)::nextInt);

  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final Table table = new Table();
  private final List<Set<String>> recorded = new ArrayList<>();
  private Optional<RuntimeException> recordFailure = Optional.empty();
  private final ApiKeys keys = new ApiKeys(table, this::record, clock);
  private final Authenticator callers =
      new CredentialAuthenticator(keys, Optional.empty(), Optional.empty(), clock);

  private StoredApiKey stored(Optional<Instant> revoked) {
    var principal =
        new Principal(
            Principal.Kind.API_KEY, "billing", List.of(RoleGrant.everywhere(Role.VIEWER)));
    return new StoredApiKey(
        KEY.id(), KEY.secretHash(), principal, clock.instant(), "root", Optional.empty(), revoked);
  }

  private UnreadableApiKey unreadable(String id, String problem) {
    return new UnreadableApiKey(
        id, "shop", clock.instant(), Optional.empty(), Optional.empty(), problem);
  }

  private boolean isKnown() {
    var caller =
        new Authenticated(stored(Optional.empty()).principal(), Optional.of(KEY.id()), Instant.MAX);
    return callers.isLive(caller);
  }

  @Test
  @DisplayName("given a read that throws at once, then the next refresh takes a revocation")
  void readsAgainAfterAnException() {
    table.write(stored(Optional.empty()));
    keys.load().join();
    keys.refreshEvery(timer);
    assertThat(isKnown()).isTrue();

    table.failure = Optional.of(new IllegalStateException("no thread"));
    try (var log = new LogLines(ApiKeys.class)) {
      timer.advance(ApiKeys.REFRESH);
      assertThat(log.messages())
          .containsExactly("refresh of API keys failed, will retry: no thread");
    }
    table.failure = Optional.empty();
    table.write(stored(Optional.of(clock.instant())));
    timer.advance(ApiKeys.REFRESH);

    assertThat(isKnown()).isFalse();
  }

  @Test
  @DisplayName("given an unreadable key, then it is logged once, and another is revoked")
  void leavesOutWhatItCannotRead() {
    table.write(stored(Optional.empty()), unreadable("new1", "role must be one of {0}"));
    try (var log = new LogLines(ApiKeys.class)) {
      keys.load().join();
      keys.refreshEvery(timer);
      assertThat(isKnown()).isTrue();

      table.write(
          unreadable("new1", "role must be one of {0}"), unreadable("new2", "has role twice"));
      timer.advance(ApiKeys.REFRESH);

      assertThat(log.messages())
          .containsExactly(
              "API key new1 of shop is refused, because this version cannot read it: role must be one of {0}",
              "API key new2 of shop is refused, because this version cannot read it: has role twice");
    }
    assertThat(isKnown()).isFalse();
  }

  private CompletableFuture<Void> record(Set<String> ids) {
    recorded.add(ids);
    return recordFailure
        .<CompletableFuture<Void>>map(CompletableFuture::failedFuture)
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  private void call() {
    assertThat(keys.use(KEY, clock.instant())).isPresent();
  }

  @Test
  @DisplayName("given a key that is used all the time, then its use is recorded once an hour")
  void recordsUses() {
    table.write(stored(Optional.empty()));
    keys.load().join();
    keys.refreshEvery(timer);
    timer.advance(ApiKeys.REFRESH);
    assertThat(recorded).as("no call").isEmpty();

    for (var minute = 0; minute <= 60; minute++) {
      call();
      timer.advance(Duration.ofMinutes(1));
    }
    assertThat(recorded).containsExactly(Set.of(KEY.id()), Set.of(KEY.id()));
  }

  @Test
  @DisplayName("given a use that cannot be recorded, then keys are read on, and the next use is")
  void recordsLater() {
    table.write(stored(Optional.empty()));
    keys.load().join();
    keys.refreshEvery(timer);
    recordFailure = Optional.of(new IllegalStateException("read-only"));
    try (var log = new LogLines(ApiKeys.class)) {
      call();
      timer.advance(ApiKeys.REFRESH);
      assertThat(log.messages())
          .containsExactly("record of the last use of API keys failed, will retry: read-only");
    }
    recordFailure = Optional.empty();
    call();
    timer.advance(ApiKeys.REFRESH);
    assertThat(recorded).hasSize(2);
    assertThat(keys.readAt()).isEqualTo(clock.instant());
  }

  @Test
  @DisplayName("given failed reads, then the time of the last read stays")
  void whenRead() {
    assertThat(keys.readAt()).isEqualTo(Instant.EPOCH);
    keys.load().join();
    var start = clock.instant();
    keys.refreshEvery(timer);
    timer.advance(ApiKeys.REFRESH);
    assertThat(keys.readAt()).isEqualTo(start.plus(ApiKeys.REFRESH));

    table.failure = Optional.of(new IllegalStateException("away"));
    timer.advance(ApiKeys.REFRESH.multipliedBy(3));
    assertThat(keys.readAt()).isEqualTo(start.plus(ApiKeys.REFRESH));
  }

  private static final class Table implements ApiKeyReads {
    private final List<ApiKeyRow> rows = new ArrayList<>();
    private long revision;
    private Optional<RuntimeException> failure = Optional.empty();

    void write(ApiKeyRow... all) {
      rows.clear();
      rows.addAll(List.of(all));
      revision++;
    }

    @Override
    public CompletableFuture<Long> revision() {
      failure.ifPresent(
          e -> {
            throw e;
          });
      return CompletableFuture.completedFuture(revision);
    }

    @Override
    public CompletableFuture<ApiKeyRing> live() {
      return CompletableFuture.completedFuture(new ApiKeyRing(revision, List.copyOf(rows)));
    }
  }
}
