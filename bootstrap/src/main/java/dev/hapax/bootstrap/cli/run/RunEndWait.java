package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.util.Durations;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.Run;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;

/** Waits for the end of a run, call after call. */
final class RunEndWait {
  /** Of one call; the server allows more, but the deadline of a call has to be beyond it. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

  private RunEndWait() {}

  /** The run that answers to a token now. */
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
   * The run as it ended, or as it is when the time is over.
   *
   * @param timeout empty = however long it takes
   */
  static Run end(Channel channel, String workspace, String id, Optional<Duration> timeout)
      throws InterruptedException {
    long began = System.nanoTime();
    var patience = new ReconnectPolicy();
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
        if (isLast || RunExitCode.hasCome(run)) {
          return run;
        }
        patience.answered();
      } catch (StatusRuntimeException e) {
        patience.orThrow(e);
      }
    }
  }
}
