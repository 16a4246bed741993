package dev.hapax.client.operation;

import io.grpc.Metadata;

/** Resolves the account of a gRPC call. */
@FunctionalInterface
public interface AccountResolver {

  /**
   * Returns the account; empty is one like any other. Called on the server's thread for the call,
   * with the {@link io.grpc.Context} of the interceptors before this one; must not block.
   *
   * <p>A {@link io.grpc.StatusRuntimeException} it throws becomes the status of the call; any other
   * exception becomes INTERNAL. Either way the handler does not run.
   *
   * @return at most 255 characters
   */
  String account(Metadata headers);
}
