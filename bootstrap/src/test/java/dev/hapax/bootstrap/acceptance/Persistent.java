package dev.hapax.bootstrap.acceptance;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.function.Function;

/**
 * Who sends again to whoever is there until it is answered.
 *
 * @param <S> a client of a server
 */
record Persistent<S>(List<S> servers) {
  <T> T ask(int first, Function<S, T> call) {
    for (var i = first; ; i++) {
      try {
        return call.apply(servers.get(i % servers.size()));
      } catch (StatusRuntimeException e) {
        var code = e.getStatus().getCode();
        if (code != Code.UNAVAILABLE && code != Code.RESOURCE_EXHAUSTED) {
          throw e;
        }
      }
    }
  }
}
