package dev.hapax.client.operation;

import io.grpc.Metadata;

/** Says on whose behalf a gRPC call is made. */
@FunctionalInterface
public interface AccountResolver {

  /**
   * The account; empty is one like any other. Called on the server's thread for the call, with the
   * {@link io.grpc.Context} that the interceptors before this one made; must not block.
   *
   * <p>A {@link io.grpc.StatusRuntimeException} it throws is the answer of the call; anything else
   * is INTERNAL. Either way the handler does not run.
   *
   * @return at most 255 characters
   */
  String account(Metadata headers);
}
