package dev.hapax.console.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests of browsers. Each request waits for its calls, so it needs a virtual thread. */
public final class ConsoleHandler implements HttpHandler {
  /** The requests that are open at once; each may hold a form of 1 MiB. */
  private static final int MAX_OPEN = 128;

  private static final int INTERNAL_ERROR = 500;
  private static final int UNAVAILABLE = 503;
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleHandler.class);

  private final Semaphore open = new Semaphore(MAX_OPEN);
  private final StaticFiles files = new StaticFiles();
  private final Templates templates;
  private final RequestGuard guard;
  private final Visits visits;

  ConsoleHandler(Templates templates, RequestGuard guard, Visits visits) {
    this.templates = templates;
    this.guard = guard;
    this.visits = visits;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!open.tryAcquire()) {
        notice(UNAVAILABLE, "Try again", MAX_OPEN + " requests are open, which is the most.")
            .send(exchange);
        return;
      }
      try {
        answer(exchange).send(exchange);
      } finally {
        open.release();
      }
    } catch (IOException e) {
      LOG.debug("a browser has gone: {}", e.getMessage());
    }
  }

  private WebAnswer answer(HttpExchange exchange) throws IOException {
    try {
      guard.check(exchange);
      var file = files.find(exchange.getRequestURI().getRawPath());
      return file.isPresent() ? fresh(exchange, file.get()) : visits.answer(exchange);
    } catch (RefusedVisitException e) {
      var answer = notice(e.status(), "Refused", e.sentence());
      return e.status() == RequestGuard.METHOD_NOT_ALLOWED
          ? answer.with("Allow", "GET, HEAD, POST")
          : answer;
    } catch (RuntimeException e) {
      LOG.error("unexpected error in a request to the console", e);
      return notice(INTERNAL_ERROR, "Internal error", "The log of the server has its cause.");
    }
  }

  private static WebAnswer fresh(HttpExchange exchange, WebAnswer file) {
    var known = exchange.getRequestHeaders().getFirst("If-None-Match");
    return known != null && known.equals(file.headers().get("ETag"))
        ? WebAnswer.notModified()
        : file;
  }

  private WebAnswer notice(int status, String heading, String sentence) {
    return WebAnswer.html(status, templates.renderNotice(heading, sentence));
  }
}
