package dev.hapax.grpc.quota;

/** Receives what the limits refuse, on threads of the transport. */
public interface LimitObserver {
  /** Ignores everything. */
  LimitObserver NONE =
      new LimitObserver() {
        @Override
        public void refusedConnection(String limit) {}

        @Override
        public void closedConnection(String reason) {}

        @Override
        public void refusedCall(String workspace, String limit) {}

        @Override
        public void unauthenticated(String reason) {}
      };

  /**
   * A connection was refused.
   *
   * @param limit {@code total} or {@code address}
   */
  void refusedConnection(String limit);

  /**
   * A connection was closed.
   *
   * @param reason {@code unread}, {@code cancels}, {@code unused}, {@code unproven}, {@code
   *     refused} or {@code request}
   */
  void closedConnection(String reason);

  /**
   * A call was refused.
   *
   * @param workspace empty = the limit is that of a principal
   * @param limit the name of the setting
   */
  void refusedCall(String workspace, String limit);

  /**
   * A call was refused because of its credentials.
   *
   * @param reason {@code missing}, {@code api_key}, {@code certificate}, {@code token}, {@code
   *     signature}, or {@code unverified}: too many signatures of its address were wrong
   */
  void unauthenticated(String reason);
}
