package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ScanWindowTest {
  private final SettableClock clock = new SettableClock();
  private final ScanWindow window = new ScanWindow(clock);

  private void look() {
    window.completed(window.begin());
  }

  @Test
  @DisplayName("the first scan is full; the next one covers the time since the last complete one")
  void back() {
    var first = window.begin();
    assertThat(first.window()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(window.begin().window()).as("the first has not ended").isEmpty();
    window.completed(first);

    clock.advance(Duration.ofSeconds(2));
    assertThat(window.begin().window()).contains(Duration.ofSeconds(1 + 2 + 5));
    look();
    assertThat(window.begin().window()).contains(Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("given an incomplete scan, then it does not move the window")
  void unseen() {
    look();
    for (var seconds = 1; seconds < 10; seconds++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(window.begin().window()).contains(Duration.ofSeconds(seconds + 5));
    }
  }

  @Test
  @DisplayName("every 30 s a scan is full")
  void whole() {
    look();
    for (var seconds = 1; seconds < 30; seconds++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(window.begin().window()).isPresent();
      look();
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(window.begin().window()).isEmpty();
    assertThat(window.begin().window()).as("as long as none was made").isEmpty();
    look();
    assertThat(window.begin().window()).isPresent();
  }

  @Test
  @DisplayName("given a reset, or a clock that was set back, then the next scan is full")
  void lost() {
    look();
    window.reset();
    assertThat(window.begin().window()).isEmpty();
    look();
    clock.advance(Duration.ofSeconds(-1));
    assertThat(window.begin().window()).isEmpty();
  }
}
