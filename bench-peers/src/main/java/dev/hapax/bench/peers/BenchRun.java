package dev.hapax.bench.peers;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

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
        var contestant = series.contestant();
        var rate = series.rate().median() / 2;
        pace(contestant, rate, plan.warmUpOf(contestant), "half load, warm-up");
      }
    }
    for (var round = 1; round <= plan.rounds(); round++) {
      for (var series : paced) {
        series.addPaced(
            pace(series.contestant(), series.rate().median() / 2, "half load, round " + round));
      }
    }
    measureAtOneRate(all);
    return all;
  }

  private void measureAtOneRate(List<Series> all) throws IOException, SQLException {
    var measured =
        all.stream().filter(each -> plan.atOneRate().contains(each.contestant())).toList();
    for (var round = 1; round <= plan.rounds(); round++) {
      for (var series : measured) {
        var rate = rate(measured);
        var probe =
            series.contestant().peer() == Peer.JDBC
                ? Optional.<CompletableFuture<LoadResult>>empty()
                : Optional.of(environment.probe(plan.time()));
        var observed = pace(series.contestant(), rate, "one rate, round " + round);
        series.addAtOneRate(observed, probe.map(CompletableFuture::join));
      }
    }
  }

  /** Half of the peak of DBOS. */
  private static double rate(List<Series> measured) {
    return measured.stream()
        .filter(series -> series.contestant().equals(Contestants.DBOS_ONE))
        .mapToDouble(series -> series.rate().median() / 2)
        .findFirst()
        .orElseThrow();
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

  private Observation pace(Contestant contestant, double rate, String phase)
      throws IOException, SQLException {
    return pace(contestant, rate, plan.time(), phase);
  }

  private Observation pace(Contestant contestant, double rate, Duration time, String phase)
      throws IOException, SQLException {
    progress.begin(phase, contestant);
    var observed =
        environment.observe(contestant.peer(), process -> process.pace(contestant, rate, time));
    progress.end(observed);
    return observed;
  }
}
