package dev.hapax.bench.peers;

import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The process of one peer. It reads one load per line from standard input, answers each with a
 * line, and exits when its input ends.
 */
@Command(name = "host", hidden = true)
final class PeerHost implements Callable<Integer> {
  static final String READY = "ready";
  static final String RESULT = "result ";
  static final String SATURATE = "saturate";
  static final String PACE = "pace";

  @Parameters(index = "0")
  private Peer peer = Peer.JDBC;

  @Parameters(index = "1")
  private Path data = Path.of("");

  @Option(names = "--address")
  private List<String> addresses = List.of();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    var database = EmbeddedDatabase.running(data).orElseThrow();
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var output = spec.commandLine().getOut();
    try (var workloads = peer.open(database, addresses)) {
      answer(output, READY);
      for (var line = input.readLine(); line != null; line = input.readLine()) {
        answer(output, RESULT + run(workloads, line.split(" ", -1)).line());
      }
    }
    return 0;
  }

  private static LoadResult run(Peer.Workloads workloads, String[] words)
      throws InterruptedException {
    var workload = workloads.all().get(words[1]);
    if (workload == null) {
      throw new IllegalArgumentException("no such workload: " + words[1]);
    }
    var callers = Integer.parseInt(words[2]);
    var time = Duration.ofMillis(Long.parseLong(words[3]));
    return switch (words[0]) {
      case SATURATE -> PeerClosedLoop.run(workload, callers, time);
      case PACE -> PeerOpenLoop.run(workload, callers, Double.parseDouble(words[4]), time);
      default -> throw new IllegalArgumentException("no such load: " + words[0]);
    };
  }

  private static void answer(PrintWriter output, String line) {
    output.println(line);
    output.flush();
  }
}
