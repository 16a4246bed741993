package dev.hapax.http;

import com.google.protobuf.ByteString;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request of a page. It has a place from the moment it is complete until its client has read the
 * page, or has disconnected and its handler has ended.
 */
final class PageRequest implements OpenRequest {
  private static final Logger LOG = LoggerFactory.getLogger(PageRequest.class);

  private final HttpExchange exchange;
  private final WebRequest head;
  private final CallPlace place;
  private final PageHandler handler;
  private boolean isWorkedOn;
  private boolean hasEnded;

  PageRequest(HttpExchange exchange, WebRequest head, CallPlace place, PageHandler handler) {
    this.exchange = exchange;
    this.head = head;
    this.place = place;
    this.handler = handler;
  }

  @Override
  public boolean isAccepted() {
    return true;
  }

  @Override
  public void send(byte[] body) throws RefusedRequestException {
    place.take();
    isWorkedOn = true;
    handler.answer(head.with(ByteString.copyFrom(body)), this::handOver);
  }

  /** From the thread that has made the answer. */
  private void handOver(HttpAnswer answer) {
    try {
      exchange.connection().channel().eventLoop().execute(() -> answered(answer));
    } catch (RejectedExecutionException e) {
      LOG.debug("the server stopped before an answer: {}", e.getMessage());
    }
  }

  private void answered(HttpAnswer answer) {
    isWorkedOn = false;
    if (hasEnded) {
      place.free();
    } else {
      exchange.answer(answer);
    }
  }

  @Override
  public void refuse(RefusedRequestException refusal) {
    exchange.answer(handler.refusal(refusal));
  }

  @Override
  public void end() {
    hasEnded = true;
    if (!isWorkedOn) {
      place.free();
    }
  }
}
