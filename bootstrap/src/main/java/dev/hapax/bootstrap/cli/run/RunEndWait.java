package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.util.Durations;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.Run;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;

/** Waits for the end of a run with long polls. */
final class RunEndWait {
  /** The wait of one long poll, which is shorter than the deadline of a call. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

  private RunEndWait() {}

  /** Returns the run that a token resolves to. */
  static Run owner(Channel channel, String workspace, String token) {
    return RunCommands.runs(channel)
        .awaitRun(
            AwaitRunRequest.newBuilder()
                .setWorkspace(workspace)
                .setToken(token)
                .setWait(Durations.ZERO)
                .build())
        .getRun();
  }

  /**
   * Returns the run at its end, or when the timeout is over.
   *
   * @param timeout empty = no limit
   */
  static Run end(Channel channel, String workspace, String id, Optional<Duration> timeout)
      throws InterruptedException {
    long began = System.nanoTime();
    var reconnect = new ReconnectPolicy();
    while (true) {
      var left = timeout.map(time -> time.minusNanos(System.nanoTime() - began));
      var wait = left.filter(time -> time.compareTo(LONGEST_WAIT) < 0).orElse(LONGEST_WAIT);
      try {
        var run =
            RunCommands.runs(channel)
                .awaitRun(
                    AwaitRunRequest.newBuilder()
                        .setWorkspace(workspace)
                        .setRunId(id)
                        .setWait(Durations.fromMillis(Math.max(0, wait.toMillis())))
                        .build())
                .getRun();
        var isLast = left.isPresent() && left.get().compareTo(LONGEST_WAIT) < 0;
        if (isLast || RunExitCode.hasEnded(run)) {
          return run;
        }
        reconnect.answered();
      } catch (StatusRuntimeException e) {
        reconnect.pauseOrThrow(e);
      }
    }
  }
}
