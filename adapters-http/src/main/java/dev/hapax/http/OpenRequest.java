package dev.hapax.http;

/** The handler of an open request. It runs on the thread of the connection. */
sealed interface OpenRequest permits ConnectCall, PageRequest {
  /** Whether the request may be sent, once all of it has come. */
  boolean isAccepted();

  /** Sends the request with this body. */
  void send(byte[] body) throws RefusedRequestException;

  /** Answers the request with a refusal. */
  void refuse(RefusedRequestException refusal);

  /** The answer was sent, or the client has disconnected. */
  void end();
}
