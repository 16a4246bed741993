package dev.hapax.grpc.call;

/** The place of a request among those that its caller may have open. */
@FunctionalInterface
public interface OpenPlace {
  /** The place of a request that is not limited. */
  OpenPlace NONE = () -> {};

  /** Frees the place, once the request is answered. A second call does nothing. */
  void free();
}
