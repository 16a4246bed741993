package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Hapax;
import dev.hapax.client.HookRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A client in a process of its own that starts a run with a token on request. */
final class RivalMain {
  static final String READY = "ready";
  static final String OWNS = "owns ";
  static final String MEETS = "meets ";
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private RivalMain() {}

  /** Arguments: HOST:PORT, workspace, token, the file that says when to start. */
  public static void main(String[] arguments) {
    var channel = TestAccess.channel(arguments[0]).build();
    var runs =
        Hapax.builder(Map.of())
            .channel(channel)
            .workspace(arguments[1])
            .callTimeout(PATIENCE)
            .connect()
            .runs();
    System.out.println(READY);
    while (!Files.exists(Path.of(arguments[3]))) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    var answer =
        runs.start("order", options -> options.hook(HookRequest.of(arguments[2]))).message();
    System.out.println(
        // a start that was sent again after a lost answer has created nothing, and owns it all the
        // same
        answer.hasRun() ? OWNS + answer.getRun().getId() : MEETS + answer.getOwner().getRunId());
    channel.shutdownNow();
  }
}
