package dev.hapax.grpc.call;

/**
 * What becomes a part of a message on a stream.
 *
 * @param <B> what a message is gathered in
 */
public interface StreamPart<B> {
  /** Adds it, when the client reads; how many bytes it has. */
  int addTo(B message);

  /** It does not reach the client. May be called after {@link #addTo}. */
  void drop();
}
