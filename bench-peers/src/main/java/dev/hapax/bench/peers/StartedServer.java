package dev.hapax.bench.peers;

import java.io.IOException;
import java.util.List;

/**
 * The server of a peer, which the user started by hand.
 *
 * @param addresses those that the SDK of the peer connects to
 * @param processes the server, and its database if that is another process; empty = unknown
 */
record StartedServer(List<String> addresses, List<ProcessHandle> processes) {
  StartedServer {
    addresses = List.copyOf(addresses);
    processes = List.copyOf(processes);
  }

  /** Returns the CPU time of the processes and their children; NaN = unknown. */
  double processorTime() {
    return processes.stream()
        .mapToDouble(ProcessorTime::ofFamily)
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }

  /** Returns the resident memory of the processes in MiB; NaN = unknown. */
  double residentMemory() throws IOException {
    var memory = processes.isEmpty() ? Double.NaN : 0;
    for (var process : processes) {
      memory += ResidentMemory.of(process.pid());
    }
    return memory;
  }
}
