package dev.hapax.bench.peers;

import dev.hapax.bench.BenchJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The process of a {@link PeerHost}, which runs loads on request. */
final class PeerProcess implements AutoCloseable {
  private final Peer peer;
  private final Process process;
  private final BufferedReader answers;
  private final BufferedWriter loads;

  private PeerProcess(Peer peer, Process process) {
    this.peer = peer;
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.loads = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts the process with the options of the server, but no limit of its heap. */
  static PeerProcess start(Peer peer, Path data, List<String> addresses) throws IOException {
    var arguments = new ArrayList<>(List.of("host", peer.name(), data.toString()));
    addresses.forEach(address -> arguments.add("--address=" + address));
    var command = BenchJvm.command(List.of(), PeersMain.class, arguments);
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    var started = new PeerProcess(peer, process);
    started.await(PeerHost.READY);
    return started;
  }

  LoadResult saturate(Contestant contestant, Duration time) throws IOException {
    return load(
        String.format(
            Locale.ROOT,
            "%s %s %d %d",
            PeerHost.SATURATE,
            contestant.workload(),
            contestant.callers(),
            time.toMillis()));
  }

  LoadResult pace(Contestant contestant, double rate, Duration time) throws IOException {
    return load(
        String.format(
            Locale.ROOT,
            "%s %s %d %d %s",
            PeerHost.PACE,
            contestant.workload(),
            contestant.callers(),
            time.toMillis(),
            Double.toString(rate)));
  }

  private LoadResult load(String line) throws IOException {
    loads.write(line);
    loads.newLine();
    loads.flush();
    return LoadResult.parse(await(PeerHost.RESULT));
  }

  /** Returns the rest of the next line that begins with these words. */
  private String await(String words) throws IOException {
    for (var line = answers.readLine(); line != null; line = answers.readLine()) {
      if (line.startsWith(words)) {
        return line.substring(words.length());
      }
    }
    throw new IOException("process of " + peer.title() + " exited early (its error is above)");
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.destroy();
    var _ = process.onExit().orTimeout(30, TimeUnit.SECONDS).exceptionally(_ -> kill()).join();
  }

  private Process kill() {
    return process.destroyForcibly();
  }
}
