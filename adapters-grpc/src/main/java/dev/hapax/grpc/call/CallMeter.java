package dev.hapax.grpc.call;

import com.google.protobuf.Message;
import dev.hapax.domain.security.Principal;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import java.util.List;

/**
 * Counts what one call takes of the limits of its principal and of its workspaces. A method throws
 * {@link StatusRuntimeException} with the reason RATE_LIMITED where a limit is reached.
 */
public interface CallMeter {
  /** Counts nothing, in the process itself. */
  CallMeter UNLIMITED =
      new CallMeter() {
        @Override
        public void begin(Principal principal) {}

        @Override
        public void countForPrincipal(Message request) {}

        @Override
        public void countForWorkspaces(Message request, List<String> workspaces) {}

        @Override
        public OpenPlace open(Message request, List<String> workspaces) {
          return OpenPlace.NONE;
        }
      };

  Context.Key<CallMeter> KEY = Context.keyWithDefault("hapax-meter", UNLIMITED);

  /** The meter of the call that this thread handles. */
  static CallMeter current() {
    return KEY.get();
  }

  /** Counts a call that was authenticated, whatever it requests. */
  void begin(Principal principal);

  /** Counts a request before it is authorized: a denied one is work as well. */
  void countForPrincipal(Message request);

  /** Counts a request after it was authorized, so that no caller uses up limits of others. */
  void countForWorkspaces(Message request, List<String> workspaces);

  /** Takes the place of an authorized request that may stay open, such as a long poll. */
  OpenPlace open(Message request, List<String> workspaces);
}
