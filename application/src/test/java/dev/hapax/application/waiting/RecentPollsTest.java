package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecentPollsTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
  private final RecentRemoteActivity remoteActivity = new RecentRemoteActivity(nanos::get);
  private final RecentPolls<String, Integer> recent = new RecentPolls<>(remoteActivity, nanos::get);

  @Test
  @DisplayName("a poll is known for two minutes after it was granted something")
  void age() {
    recent.keep("poll", List.of(1, 2));
    nanos.addAndGet(RecentPolls.KEPT.toNanos() - 1);
    assertThat(recent.of("poll")).containsExactly(1, 2);
    recent.keep("later", List.of(3));

    nanos.addAndGet(1);

    assertThat(recent.of("poll")).isEmpty();
    assertThat(recent.of("later")).containsExactly(3);
    assertThat(recent.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("of very many tasks the oldest polls are forgotten, however many tasks each had")
  void ids() {
    var many = IntStream.range(0, 500).boxed().toList();
    for (var poll = 0; poll < 1_000; poll++) {
      recent.keep("poll " + poll, many);
      assertThat(recent.size()).isLessThanOrEqualTo(RecentPolls.MAX_IDS);
    }
    assertThat(recent.of("poll 0")).isEmpty();
    assertThat(recent.of("poll 999")).isEqualTo(many);
    assertThat(recent.size()).isEqualTo(RecentPolls.MAX_IDS);
  }

  @Test
  @DisplayName("what a poll holds replaces what it held before")
  void again() {
    recent.keep("poll", List.of(1, 2));
    recent.keep("poll", List.of(2));
    assertThat(recent.of("poll")).containsExactly(2);
    recent.keep("poll", List.of());
    assertThat(recent.of("poll")).isEmpty();
    assertThat(recent.size()).isZero();
  }

  @Test
  @DisplayName("a server that is alone looks for what it has forgotten, and not for new polls")
  void forgotten() {
    nanos.addAndGet(RecentPolls.KEPT.toNanos());
    recent.keep("poll", List.of(1));
    assertThat(recent.known("poll")).contains(List.of(1));

    var many = IntStream.range(0, RecentPolls.MAX_IDS).boxed().toList();
    recent.keep("later", many);

    assertThat(recent.known("poll")).isEmpty();
    assertThat(recent.known("later")).contains(many);
    assertThat(recent.known("new")).contains(List.of());
  }

  @Test
  @DisplayName("an unknown poll may have been served before the start, or by another node")
  void elsewhere() {
    assertThat(recent.known("new")).isEmpty();
    nanos.addAndGet(RecentPolls.KEPT.toNanos());
    assertThat(recent.known("new")).contains(List.of());

    remoteActivity.recorded();

    assertThat(recent.known("new")).isEmpty();
    recent.keep("new", List.of(1));
    assertThat(recent.known("new")).contains(List.of(1));
  }
}
