package dev.hapax.http;

/** The pages of a port. */
public interface WebPages {
  /**
   * The most bytes that the body of a request may have. It must not block.
   *
   * @param head the request without its body
   */
  int maxBody(WebRequest head);

  /** Answers on a virtual thread, and may block. */
  WebResponse answer(WebRequest request);

  /** The answer to a request that is refused. It must not block. */
  WebResponse refuse(int status, String problem);
}
