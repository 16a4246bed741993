package dev.hapax.bootstrap.acceptance;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Many calls at once. */
final class ConcurrentCalls {
  private ConcurrentCalls() {}

  /** Sends all calls before it reads any answer. */
  static <T> List<ListenableFuture<T>> send(int calls, IntFunction<ListenableFuture<T>> call) {
    return IntStream.range(0, calls).mapToObj(call).toList();
  }

  static <T> List<T> call(int calls, IntFunction<ListenableFuture<T>> call) {
    return answers(send(calls, call));
  }

  /** Begins from several connections, each its own attempt. */
  static List<ListenableFuture<BeginOperationResponse>> begin(
      int calls, List<Caller> callers, IntFunction<BeginOperationRequest.Builder> request) {
    return send(
        calls,
        i -> callers.get(i % callers.size()).futures().beginOperation(request.apply(i).build()));
  }

  static <T> List<T> answers(List<? extends Future<T>> calls) {
    return calls.stream().map(ConcurrentCalls::answer).toList();
  }

  static <T> T answer(Future<T> call) {
    try {
      return call.get();
    } catch (ExecutionException e) {
      throw new AssertionError("a call failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
