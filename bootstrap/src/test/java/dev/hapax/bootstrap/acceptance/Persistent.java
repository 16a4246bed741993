package dev.hapax.bootstrap.acceptance;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Retries a call on any available server until it is answered.
 *
 * @param <S> a client of a server
 * @param unanswered number of calls without an answer
 */
record Persistent<S>(List<S> servers, AtomicInteger unanswered) {
  Persistent(List<S> servers) {
    this(servers, new AtomicInteger());
  }

  <T> T ask(int first, Function<S, T> call) {
    for (var i = first; ; i++) {
      try {
        return call.apply(servers.get(i % servers.size()));
      } catch (StatusRuntimeException e) {
        var code = e.getStatus().getCode();
        // a load that is over must not go on against servers that are gone
        if ((code != Code.UNAVAILABLE && code != Code.RESOURCE_EXHAUSTED)
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        unanswered.incrementAndGet();
      }
    }
  }
}
