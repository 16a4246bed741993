package dev.hapax.grpc.call;

import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Principal;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.Optional;

/** The caller of the current call, and what it may do. */
public interface CallAccess {
  /** Without authentication, every caller may do everything. */
  CallAccess LOCAL =
      new CallAccess() {
        private final Authenticated caller =
            new Authenticated(Principal.LOCAL, Optional.empty(), Instant.MAX);

        @Override
        public Authenticated caller() {
          return caller;
        }

        @Override
        public OpenPlace require(Message request) {
          return OpenPlace.NONE;
        }

        @Override
        public boolean isNarrowedToQueues(Workspace workspace) {
          return false;
        }

        @Override
        public void requireQueue(Workspace workspace, String queue) {
          // every queue is open
        }
      };

  Context.Key<CallAccess> KEY = Context.keyWithDefault("hapax-access", LOCAL);

  /** The access of the call that this thread handles. */
  static CallAccess current() {
    return KEY.get();
  }

  Authenticated caller();

  /**
   * Requires the right to make a request of the call, or of a stream that carries it, and counts it
   * against the limits.
   *
   * @return the place of the request, which is free at the latest when the call ends
   * @throws StatusRuntimeException PERMISSION_DENIED, or RESOURCE_EXHAUSTED with RATE_LIMITED
   */
  OpenPlace require(Message request);

  /** Whether the caller may work only on the tasks of some queues. */
  boolean isNarrowedToQueues(Workspace workspace);

  /**
   * Requires the right to work on the tasks of a queue.
   *
   * @throws StatusRuntimeException PERMISSION_DENIED
   */
  void requireQueue(Workspace workspace, String queue);
}
