package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.Terminal;
import dev.hapax.client.HapaxException;
import dev.hapax.v1.Run;
import io.grpc.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Changes many runs over one connection, up to a hundred concurrently. */
record BulkControl(Function<String, Run> change, Terminal terminal) {
  private static final int CONCURRENCY = 100;

  /** Errors of a single run; any other error aborts the command. */
  private static final Set<Status.Code> RUN_ERRORS =
      Set.of(
          Status.Code.NOT_FOUND,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ABORTED,
          Status.Code.INVALID_ARGUMENT);

  /** Receives a run after its change. */
  interface Changed {
    void run(Run run) throws IOException;
  }

  /**
   * The result.
   *
   * @param failure error that aborted the command before all runs were tried
   */
  record Result(int changed, Optional<RuntimeException> failure) {}

  /**
   * Changes the runs. A rejected run does not stop the others; another error aborts the command
   * after the calls in flight.
   */
  Result apply(List<String> ids, Changed changed, BiConsumer<String, String> rejected)
      throws IOException, InterruptedException {
    int done = 0;
    var failure = Optional.<RuntimeException>empty();
    try (var calls = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int begin = 0; begin < ids.size() && failure.isEmpty(); begin += CONCURRENCY) {
        var page = ids.subList(begin, Math.min(ids.size(), begin + CONCURRENCY));
        var answers = new ArrayList<Future<Run>>();
        page.forEach(id -> answers.add(calls.submit(() -> change.apply(id))));
        for (int i = 0; i < page.size(); i++) {
          var id = page.get(i);
          try {
            changed.run(answers.get(i).get());
            done++;
          } catch (ExecutionException e) {
            var reason = rejection(e);
            reason.ifPresent(why -> rejected.accept(id, why));
            if (reason.isEmpty() && failure.isEmpty()) {
              failure = Optional.of(unexpected(e));
            }
          }
        }
        if (ids.size() > CONCURRENCY && failure.isEmpty()) {
          terminal.progress(begin + page.size(), ids.size());
        }
      }
    }
    return new Result(done, failure);
  }

  /** Returns why this run was rejected; empty for other errors. */
  private static Optional<String> rejection(ExecutionException failure) {
    return failure.getCause() instanceof HapaxException.Refused refused
            && RUN_ERRORS.contains(Status.fromCodeValue(refused.error().getCode()).getCode())
        ? Optional.of(refused.error().getMessage())
        : Optional.empty();
  }

  private static RuntimeException unexpected(ExecutionException failure) {
    return failure.getCause() instanceof RuntimeException unexpected
        ? unexpected
        : new IllegalStateException(failure.getCause());
  }
}
