package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import com.google.rpc.Status;

/**
 * How the messages of one streamed rpc are made.
 *
 * @param <R> the messages to the client
 * @param <A> the answers in them
 * @param <B> what a message is gathered in
 */
public interface StreamMessages<R, A extends MessageLite, B> {
  B begin();

  void add(B message, A answer);

  A error(int callId, Status error);

  R build(B message);
}
