package dev.hapax.client.internal;

import dev.hapax.v1.Error;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Map;

/**
 * Encodes requests and decodes responses of one streaming rpc.
 *
 * @param <M> messages to Hapax
 * @param <N> messages from Hapax
 */
public interface StreamProtocol<M, N> {

  MethodDescriptor<M, N> method();

  /** Whether there is something to send besides calls. */
  default boolean hasPending() {
    return false;
  }

  /**
   * Encodes the next message.
   *
   * @param calls by their id
   */
  M message(Map<Integer, StreamedCall<?, ?>> calls, List<Integer> cancelled);

  /** Receives the content of a message besides responses. */
  default void received(N message) {}

  /** Decodes the responses in a message. */
  void answers(N message, Answers answers);

  /** Receives responses. */
  interface Answers {
    /**
     * A response came.
     *
     * @param response that of the rpc, or an answer whose outcome this client does not know
     */
    void answered(int callId, Object response);

    void rejected(int callId, Error error);
  }
}
