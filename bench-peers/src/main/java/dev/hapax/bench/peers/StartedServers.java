package dev.hapax.bench.peers;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that add peers whose servers the user started by hand. */
final class StartedServers {
  @Option(
      names = "--temporal",
      paramLabel = "HOST:PORT",
      description = "Measure Temporal, too: its server, with the namespace default.")
  private @Nullable String temporal;

  @Option(
      names = "--temporal-pid",
      split = ",",
      paramLabel = "N",
      description = "Processes of that server and of its database, for their CPU time.")
  private List<Long> temporalPids = List.of();

  @Option(
      names = "--restate",
      paramLabel = "URL",
      description = "Measure Restate, too: the ingress of its server.")
  private @Nullable String restate;

  @Option(
      names = "--restate-admin",
      defaultValue = "http://127.0.0.1:9070",
      paramLabel = "URL",
      description = "Its admin API, which registers the worker. Default: ${DEFAULT-VALUE}")
  private String restateAdmin = "";

  @Option(
      names = "--restate-pid",
      split = ",",
      paramLabel = "N",
      description = "Processes of that server, for their CPU time.")
  private List<Long> restatePids = List.of();

  Map<Peer, StartedServer> all() {
    var all = new EnumMap<Peer, StartedServer>(Peer.class);
    if (temporal != null) {
      all.put(Peer.TEMPORAL, new StartedServer(List.of(temporal), processes(temporalPids)));
    }
    if (restate != null) {
      all.put(
          Peer.RESTATE, new StartedServer(List.of(restate, restateAdmin), processes(restatePids)));
    }
    return all;
  }

  private static List<ProcessHandle> processes(List<Long> pids) {
    return pids.stream().map(StartedServers::process).toList();
  }

  private static ProcessHandle process(long pid) {
    return ProcessHandle.of(pid)
        .orElseThrow(() -> new IllegalArgumentException("no process has the id " + pid));
  }
}
