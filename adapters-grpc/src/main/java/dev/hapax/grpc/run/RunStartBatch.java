package dev.hapax.grpc.run;

import dev.hapax.domain.Workspace;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.ItemErrorEncoding;
import dev.hapax.grpc.call.RequestRules;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.StartRunsResponse;
import dev.hapax.v1.StartRunsResponse.Result;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Starts the runs of a StartRuns request, each independently of the others. */
record RunStartBatch(RunStarts starts) {
  CompletableFuture<List<Result>> start(StartRunsRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var results =
        request.getRequestsList().stream()
            .map(each -> start(workspace, each).handle(RunStartBatch::result))
            .toList();
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(_ -> results.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<StartRunResponse> start(Workspace workspace, StartRunRequest request) {
    try {
      var own = request.getWorkspace();
      if (!own.isEmpty() && !own.equals(workspace.name())) {
        throw new InvalidFieldException("workspace", "must be empty or the workspace of the batch");
      }
      RequestRules.check(request);
      return starts
          .startOfBatch(workspace, request)
          .thenApply(result -> RunStartEncoding.response(request, result, RunEncoding::summary));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Result result(@Nullable StartRunResponse response, @Nullable Throwable failure) {
    return failure == null
        ? Result.newBuilder().setResponse(Objects.requireNonNull(response)).build()
        : Result.newBuilder().setError(ItemErrorEncoding.error(failure)).build();
  }

  static StartRunsResponse response(List<Result> results) {
    return StartRunsResponse.newBuilder().addAllResults(results).build();
  }
}
