package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.Terminal;
import dev.hapax.v1.Run;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Makes a change to many runs, at most a hundred at a time, over one connection. */
record BulkControl(Function<String, Run> change, Terminal terminal) {
  private static final int AT_A_TIME = 100;

  /** What only this run cannot have; any other failure ends the command. */
  private static final Set<Status.Code> OF_ONE_RUN =
      Set.of(
          Status.Code.NOT_FOUND,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ABORTED,
          Status.Code.INVALID_ARGUMENT);

  /** Gets a run as it is after its change. */
  interface Changed {
    void run(Run run) throws IOException;
  }

  /**
   * What came of it.
   *
   * @param failure what ended the command before all runs were tried
   */
  record Result(int changed, Optional<RuntimeException> failure) {}

  /**
   * One run that is refused does not spare the others. A failure of another kind ends the command,
   * once the calls that were made already are answered.
   */
  Result apply(List<String> ids, Changed changed, BiConsumer<String, String> refused)
      throws IOException, InterruptedException {
    int done = 0;
    var failure = Optional.<RuntimeException>empty();
    try (var calls = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int begin = 0; begin < ids.size() && failure.isEmpty(); begin += AT_A_TIME) {
        var page = ids.subList(begin, Math.min(ids.size(), begin + AT_A_TIME));
        var answers = new ArrayList<Future<Run>>();
        page.forEach(id -> answers.add(calls.submit(() -> change.apply(id))));
        for (int i = 0; i < page.size(); i++) {
          var id = page.get(i);
          try {
            changed.run(answers.get(i).get());
            done++;
          } catch (ExecutionException e) {
            var reason = refusal(e);
            reason.ifPresent(why -> refused.accept(id, why));
            if (reason.isEmpty() && failure.isEmpty()) {
              failure = Optional.of(unexpected(e));
            }
          }
        }
        if (ids.size() > AT_A_TIME && failure.isEmpty()) {
          terminal.progress(begin + page.size(), ids.size());
        }
      }
    }
    return new Result(done, failure);
  }

  /** Why this run alone cannot be changed; empty if that is not the reason. */
  private static Optional<String> refusal(ExecutionException failure) {
    return failure.getCause() instanceof StatusRuntimeException status
            && OF_ONE_RUN.contains(status.getStatus().getCode())
        ? Optional.of(
            Objects.requireNonNullElse(
                status.getStatus().getDescription(), status.getStatus().getCode().toString()))
        : Optional.empty();
  }

  private static RuntimeException unexpected(ExecutionException failure) {
    return failure.getCause() instanceof RuntimeException unexpected
        ? unexpected
        : new IllegalStateException(failure.getCause());
  }
}
