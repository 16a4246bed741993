package dev.hapax.http;

import com.google.protobuf.Message;

/** How the messages of a call are sent to its caller. */
sealed interface CallAnswer permits UnaryAnswer, EnvelopedAnswer {
  /** The bytes of the request message in a body. */
  byte[] request(byte[] body) throws RefusedRequestException;

  /** The request was sent. */
  void begin();

  /** Takes a message of the server; {@code next} asks for another one. */
  void add(Message message, Runnable next);

  /** The call has succeeded. */
  void complete();

  /** The call has failed. */
  void fail(ConnectError error);

  /** The call was not made. */
  void refuse(RefusedRequestException refusal);
}
