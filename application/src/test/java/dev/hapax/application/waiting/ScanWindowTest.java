package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ScanWindowTest {
  private final SettableClock clock = new SettableClock();
  private final ScanWindow lookBack = new ScanWindow(clock);

  private void look() {
    lookBack.seen(lookBack.begin());
  }

  @Test
  @DisplayName("the first look is whole; the next goes back to the last that saw everything")
  void back() {
    var first = lookBack.begin();
    assertThat(first.back()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(lookBack.begin().back()).as("the first has not ended").isEmpty();
    lookBack.seen(first);

    clock.advance(Duration.ofSeconds(2));
    assertThat(lookBack.begin().back()).contains(Duration.ofSeconds(1 + 2 + 5));
    look();
    assertThat(lookBack.begin().back()).contains(Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("looks that see not all do not count")
  void unseen() {
    look();
    for (var seconds = 1; seconds < 10; seconds++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(lookBack.begin().back()).contains(Duration.ofSeconds(seconds + 5));
    }
  }

  @Test
  @DisplayName("every half minute a look is whole")
  void whole() {
    look();
    for (var seconds = 1; seconds < 30; seconds++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(lookBack.begin().back()).isPresent();
      look();
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(lookBack.begin().back()).isEmpty();
    assertThat(lookBack.begin().back()).as("as long as none was made").isEmpty();
    look();
    assertThat(lookBack.begin().back()).isPresent();
  }

  @Test
  @DisplayName("after a loss, and when the clock was set back, a look is whole")
  void lost() {
    look();
    lookBack.lost();
    assertThat(lookBack.begin().back()).isEmpty();
    look();
    clock.advance(Duration.ofSeconds(-1));
    assertThat(lookBack.begin().back()).isEmpty();
  }
}
