package dev.hapax.grpc.call;

/**
 * A part of a message on a stream.
 *
 * @param <B> the builder of a message
 */
public interface StreamPart<B> {
  /** Adds the part to a message that the client is about to read; returns its bytes. */
  int addTo(B message);

  /** Drops a part that does not reach the client. May be called after {@link #addTo}. */
  void drop();
}
