package dev.hapax.domain.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.TimeRange;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunFilterTest {
  private static final TimeRange FROM_THE_BEGINNING =
      new TimeRange(Optional.of(Story.BEGINNING), Optional.empty());
  private static final TimeRange BEFORE = TimeRange.before(Optional.of(Story.BEGINNING));

  private static Run run(String situation) {
    return Situations.of(situation).run();
  }

  private static RunFilter statuses(RunStatus... statuses) {
    return RunFilter.of(Set.of(statuses), TimeRange.ALL);
  }

  private static RunFilter failed(String code, RunStatus... statuses) {
    return new RunFilter(
        Set.of(statuses),
        Set.of(),
        Map.of(),
        Optional.of(code),
        false,
        TimeRange.ALL,
        TimeRange.ALL);
  }

  private static RunFilter ended(TimeRange ended, RunStatus... statuses) {
    return new RunFilter(
        Set.of(statuses), Set.of(), Map.of(), Optional.empty(), false, TimeRange.ALL, ended);
  }

  private static RunFilter named(String... definitions) {
    return new RunFilter(
        Set.of(),
        Set.of(definitions),
        Map.of(),
        Optional.empty(),
        false,
        TimeRange.ALL,
        TimeRange.ALL);
  }

  @Test
  @DisplayName("a filter without conditions selects every run")
  void all() {
    for (var situation :
        Set.of("pending", "held", "signal", "paused, held", "failed", "cancelled")) {
      assertThat(RunFilter.ALL.matches(run(situation))).as(situation).isTrue();
    }
    assertThat(RunFilter.ALL.possibleStatuses()).containsExactly(RunStatus.values());
  }

  @Test
  @DisplayName("several statuses or definitions select runs of each of them")
  void several() {
    var filter = statuses(RunStatus.WAITING, RunStatus.FAILED);
    assertThat(filter.matches(run("signal"))).isTrue();
    assertThat(filter.matches(run("failed"))).isTrue();
    assertThat(filter.matches(run("held"))).isFalse();

    var run = run("held");
    assertThat(named("other", run.definition().id().name()).matches(run)).isTrue();
    assertThat(named("other").matches(run)).isFalse();
  }

  @Test
  @DisplayName("a failure code selects runs that have failed with it, not those about to")
  void failures() {
    var code = Story.FAILURE.code();
    assertThat(failed(code).matches(run("failed"))).isTrue();
    assertThat(failed("OTHER").matches(run("failed"))).isFalse();
    assertThat(failed(code).matches(run("paused, step failed"))).isFalse();
    assertThat(failed(code).matches(run("cancelled"))).isFalse();
    assertThat(failed(code).possibleStatuses()).containsExactly(RunStatus.FAILED);
    assertThat(failed(code, RunStatus.CANCELLED).possibleStatuses()).isEmpty();
  }

  @Test
  @DisplayName("a time of end selects runs that ended then, and no open ones")
  void ends() {
    for (var situation : Set.of("completed", "failed", "cancelled")) {
      assertThat(ended(FROM_THE_BEGINNING).matches(run(situation))).as(situation).isTrue();
      assertThat(ended(BEFORE).matches(run(situation))).as(situation).isFalse();
    }
    assertThat(ended(FROM_THE_BEGINNING).matches(run("held"))).isFalse();
    assertThat(ended(BEFORE).possibleStatuses())
        .isEqualTo(EnumSet.of(RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED));
    assertThat(ended(BEFORE, RunStatus.RUNNING).possibleStatuses()).isEmpty();
  }

  @Test
  @DisplayName("a time of creation selects runs created then")
  void creations() {
    assertThat(RunFilter.of(Set.of(), FROM_THE_BEGINNING).matches(run("held"))).isTrue();
    assertThat(RunFilter.of(Set.of(), BEFORE).matches(run("held"))).isFalse();
  }

  @Test
  @DisplayName("labels select runs that have all of them")
  void labels() {
    var filter =
        new RunFilter(
            Set.of(),
            Set.of(),
            Map.of("shop", "1"),
            Optional.empty(),
            false,
            TimeRange.ALL,
            TimeRange.ALL);
    assertThat(filter.matches(run("held"))).isFalse();
  }
}
