package dev.hapax.bootstrap.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A5")
class IssuerKeysTest {
  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);

  @Test
  @DisplayName("given a read that ends with an Error, then the keys are read again after 30 s [A5]")
  void survivesAnError() throws Exception {
    var reads = new AtomicInteger();
    IssuerKeys.Source source =
        () -> {
          if (reads.getAndIncrement() == 0) {
            throw new StackOverflowError();
          }
          return VerificationKeys.NONE;
        };
    try (var keys = new IssuerKeys("issuer", source, clock, timer)) {
      keys.read().get(30, TimeUnit.SECONDS);
      assertThat(keys.lastRead()).isEqualTo(Instant.EPOCH);
      assertThat(timer.nextDue()).contains(clock.instant().plus(IssuerKeys.RETRY));

      timer.advance(IssuerKeys.RETRY);
      keys.read().get(30, TimeUnit.SECONDS);
      assertThat(keys.lastRead()).isEqualTo(clock.instant());
      assertThat(timer.nextDue()).contains(clock.instant().plus(IssuerKeys.REFRESH));
    }
  }
}
