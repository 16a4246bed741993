package dev.hapax.bootstrap.run;

import dev.hapax.bootstrap.remote.Terminal;
import dev.hapax.v1.Run;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

  /** Returns how many were refused; one that is does not spare the others. */
  int apply(List<String> ids, Changed changed, BiConsumer<String, String> refused)
      throws IOException, InterruptedException {
    int failed = 0;
    try (var calls = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int begin = 0; begin < ids.size(); begin += AT_A_TIME) {
        var page = ids.subList(begin, Math.min(ids.size(), begin + AT_A_TIME));
        var answers = new ArrayList<Future<Run>>();
        page.forEach(id -> answers.add(calls.submit(() -> change.apply(id))));
        for (int i = 0; i < page.size(); i++) {
          try {
            changed.run(answers.get(i).get());
          } catch (ExecutionException e) {
            refused.accept(page.get(i), reason(e));
            failed++;
          }
        }
        if (ids.size() > AT_A_TIME) {
          terminal.progress(begin + page.size(), ids.size());
        }
      }
    }
    return failed;
  }

  private static String reason(ExecutionException failure) {
    if (failure.getCause() instanceof StatusRuntimeException status
        && OF_ONE_RUN.contains(status.getStatus().getCode())) {
      return Objects.requireNonNullElse(
          status.getStatus().getDescription(), status.getStatus().getCode().toString());
    }
    if (failure.getCause() instanceof RuntimeException unexpected) {
      throw unexpected;
    }
    throw new IllegalStateException(failure.getCause());
  }
}
