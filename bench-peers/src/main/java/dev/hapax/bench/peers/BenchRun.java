package dev.hapax.bench.peers;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Warms up all processes, then measures every contestant in each round. */
record BenchRun(BenchPlan plan, BenchEnvironment environment, Progress progress) {

  List<Series> measure() throws IOException, SQLException {
    warmUp();
    var all = plan.contestants().stream().map(Series::new).toList();
    for (var round = 1; round <= plan.rounds(); round++) {
      for (var series : all) {
        series.addRound(saturate(series.contestant(), plan.time(), "round " + round));
      }
    }
    var paced = all.stream().filter(series -> series.contestant().isPaced()).toList();
    if (!plan.warmUp().isZero()) {
      // the code of this load has not run yet
      for (var series : paced) {
        pace(series, "half load, warm-up");
      }
    }
    for (var round = 1; round <= plan.rounds(); round++) {
      for (var series : paced) {
        series.addPaced(pace(series, "half load, round " + round));
      }
    }
    return all;
  }

  private void warmUp() throws IOException, SQLException {
    if (plan.warmUp().isZero()) {
      return;
    }
    for (var contestant : plan.contestants()) {
      saturate(contestant, plan.warmUpOf(contestant), "warm-up");
    }
  }

  private Observation saturate(Contestant contestant, Duration time, String phase)
      throws IOException, SQLException {
    progress.begin(phase, contestant);
    var observed =
        environment.observe(contestant.peer(), process -> process.saturate(contestant, time));
    progress.end(observed);
    return observed;
  }

  private Observation pace(Series series, String phase) throws IOException, SQLException {
    var contestant = series.contestant();
    var rate = series.rate().median() / 2;
    progress.begin(phase, contestant);
    var observed =
        environment.observe(
            contestant.peer(), process -> process.pace(contestant, rate, plan.time()));
    progress.end(observed);
    return observed;
  }
}
