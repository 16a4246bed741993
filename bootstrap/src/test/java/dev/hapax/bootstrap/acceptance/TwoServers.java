package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Two servers on one database, which restart at their addresses. */
public final class TwoServers implements AutoCloseable {
  private static final String METRICS = "--metrics-listen=127.0.0.1:0";
  private static final String COMMITS = "hapax_commits_total";
  private static final String CALLS = "hapax_calls_total";

  private final Deployment deployment = Deployment.configured(METRICS);
  private final List<HapaxProcess> servers = new ArrayList<>();
  private final List<String> targets = new ArrayList<>();

  private TwoServers() {
    servers.add(deployment.server());
    servers.add(deployment.add(METRICS));
    servers.forEach(server -> targets.add(server.awaitReady()));
  }

  public static TwoServers start() {
    return new TwoServers();
  }

  /** The addresses as a list, which clients accept. */
  public String list() {
    return String.join(",", targets);
  }

  List<String> targets() {
    return targets;
  }

  public Deployment deployment() {
    return deployment;
  }

  /** Restarts one after the other. */
  public void restart() {
    for (var i = 0; i < servers.size(); i++) {
      stop(i);
      start(i);
    }
  }

  void stop(int index) {
    servers.get(index).terminate();
    var _ = servers.get(index).awaitExit();
  }

  private void start(int index) {
    var again = deployment.add(METRICS, "--listen=" + targets.get(index));
    assertThat(again.awaitReady()).isEqualTo(targets.get(index));
    servers.set(index, again);
  }

  /** Makes these calls, of which each server must commit at least 40 %. */
  public void assertShared(Runnable calls) {
    var before = values(COMMITS);
    calls.run();
    var after = values(COMMITS);
    var made = IntStream.of(0, 1).mapToDouble(i -> after.get(i) - before.get(i)).boxed().toList();
    var least = 0.4 * (made.get(0) + made.get(1));
    assertThat(made).allSatisfy(commits -> assertThat(commits).isGreaterThanOrEqualTo(least));
  }

  /** Repeats this call until it has reached both servers. */
  public void awaitConnected(Runnable call) {
    var before = values(CALLS);
    Condition.await(
        "both servers are called",
        () -> {
          call.run();
          var after = values(CALLS);
          return IntStream.of(0, 1).allMatch(i -> after.get(i) > before.get(i));
        });
  }

  private List<Double> values(String metric) {
    return servers.stream().map(server -> value(server, metric)).toList();
  }

  private static double value(HapaxProcess server, String metric) {
    return Probe.of(server)
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(metric))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @Override
  public void close() {
    deployment.close();
  }
}
