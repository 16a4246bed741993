package dev.hapax.postgres.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartitionDaysTest {
  private static final LocalDate TODAY = LocalDate.of(2026, 12, 30);
  private final PartitionDays ahead = new PartitionDays();

  private void needs(LocalDate today, int... days) {
    assertThat(ahead.of(today))
        .containsExactlyElementsOf(IntStream.of(days).mapToObj(today::plusDays).toList());
  }

  @Test
  @DisplayName("today and the two days after it are always needed")
  void always() {
    needs(TODAY, 0, 1, 2);
  }

  @Test
  @DisplayName("a distance in use needs its day and the one after it, on the next day too")
  void used() {
    ahead.use(TODAY.plusDays(7));
    needs(TODAY, 0, 1, 2, 7, 8);
    needs(TODAY.plusDays(1), 0, 1, 2, 7, 8);
  }

  @Test
  @DisplayName("a distance that was not in use for three days needs nothing any more")
  void forgotten() {
    ahead.use(TODAY.plusDays(7));
    ahead.of(TODAY);
    needs(TODAY.plusDays(2), 0, 1, 2, 7, 8);
    needs(TODAY.plusDays(3), 0, 1, 2);
  }

  @Test
  @DisplayName("a day that is over needs nothing")
  void past() {
    ahead.use(TODAY.minusDays(3));
    needs(TODAY, 0, 1, 2);
  }
}
