package dev.hapax.client.internal;

import dev.hapax.v1.Error;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.Map;

/**
 * How requests and answers are put into the messages of one streamed rpc.
 *
 * @param <M> messages to Hapax
 * @param <N> messages from Hapax
 */
public interface StreamProtocol<M, N> {

  /** An answer of a server that knows more outcomes than this client. */
  Error UNKNOWN_OUTCOME =
      Error.newBuilder()
          .setCode(Status.Code.UNIMPLEMENTED.value())
          .setMessage("unknown outcome")
          .build();

  MethodDescriptor<M, N> method();

  /** Whether there is something to send besides calls. */
  default boolean hasPending() {
    return false;
  }

  /**
   * The next message.
   *
   * @param calls by their number
   */
  M message(Map<Integer, StreamedCall<?, ?>> calls, List<Integer> cancelled);

  /** Takes what a message says besides answers. */
  default void received(N message) {}

  /** Hands out the answers in a message. */
  void answers(N message, Answers answers);

  /** Gets answers. */
  interface Answers {
    void answered(int callId, Object response);

    void refused(int callId, Error error);
  }
}
