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
  @DisplayName("the first look is whole; the next goes back to the last that saw everything")
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
  @DisplayName("looks that see not all do not count")
  void unseen() {
    look();
    for (var seconds = 1; seconds < 10; seconds++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(window.begin().window()).contains(Duration.ofSeconds(seconds + 5));
    }
  }

  @Test
  @DisplayName("every half minute a look is whole")
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
  @DisplayName("after a loss, and when the clock was set back, a look is whole")
  void lost() {
    look();
    window.reset();
    assertThat(window.begin().window()).isEmpty();
    look();
    clock.advance(Duration.ofSeconds(-1));
    assertThat(window.begin().window()).isEmpty();
  }
}
