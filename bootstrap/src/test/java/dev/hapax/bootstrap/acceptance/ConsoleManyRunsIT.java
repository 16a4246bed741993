package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The console beside a million runs. The plans of its reads are in {@code RunPlansIT}. */
@Isolated
@Tag("soak")
class ConsoleManyRunsIT {
  private static final int RUNS = 1_000_000;
  private static final int WARM_UP_VISITS = 50;
  private static final int VISITS = 15;
  private static final int PAGE_SIZE = 50;
  private static final Pattern RUN = Pattern.compile("/runs/(run_[0-9a-z]+)\"");

  /** Copies the only run, which waits: most copies have completed, one of 100 waits. */
  private static final String COPY =
      """
      CREATE TEMPORARY TABLE copied_run AS SELECT run.* FROM hapax.run, generate_series(1, :runs);
      UPDATE copied_run SET id = gen_random_uuid();
      UPDATE copied_run
        SET status = 5, phase = 6, until = now(), due_at = NULL, queue = NULL, signal = NULL
        WHERE random() > 0.01;
      INSERT INTO hapax.run TABLE copied_run;
      DROP TABLE copied_run
      """;

  @Test
  @DisplayName(
      "given 1,000,000 runs, when the list and the overview are visited, then each shows its first"
          + " page; the times are printed")
  void firstPages() {
    try (var hapax = new ConsoleServer()) {
      var caller = new RunCaller(hapax.admin());
      caller.define("order", RunCaller.signal("approval", "go"));
      var _ = caller.started("order");
      hapax.database().execute(COPY.replace(":runs", Integer.toString(RUNS)));
      hapax.database().execute("VACUUM (ANALYZE) hapax.run");
      var viewer = hapax.visitor("viewer");

      var list = viewer.get(hapax.page("runs")).body();

      assertThat(RUN.matcher(list).results().map(run -> run.group(1)).distinct())
          .hasSize(PAGE_SIZE);
      assertThat(viewer.get(hapax.page("")).body()).contains("order");
      print("list of runs", viewer, hapax.page("runs"));
      print("waiting runs", viewer, hapax.page("runs?status=waiting"));
      print("overview", viewer, hapax.page(""));
    }
  }

  private static void print(String what, HttpVisitor viewer, String page) {
    var times =
        IntStream.range(0, WARM_UP_VISITS + VISITS)
            .mapToObj(
                _ -> {
                  var begun = System.nanoTime();
                  assertThat(viewer.get(page).statusCode()).isEqualTo(200);
                  return Duration.ofNanos(System.nanoTime() - begun);
                })
            .skip(WARM_UP_VISITS)
            .sorted()
            .toList();
    System.out.printf(
        "%s beside %,d runs: median %d ms of %d visits%n",
        what, RUNS, times.get(VISITS / 2).toMillis(), VISITS);
  }
}
