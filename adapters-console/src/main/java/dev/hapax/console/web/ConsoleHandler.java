package dev.hapax.console.web;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests of browsers. Each waits for its calls, so it needs a virtual thread. */
public final class ConsoleHandler {
  private static final int INTERNAL_ERROR = 500;
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleHandler.class);

  private final StaticFiles files = new StaticFiles();
  private final Templates templates;
  private final RequestGuard guard;
  private final Visits visits;

  ConsoleHandler(Templates templates, RequestGuard guard, Visits visits) {
    this.templates = templates;
    this.guard = guard;
    this.visits = visits;
  }

  /** The most bytes of the form of a request, whose body has not come. */
  public int maxForm(ConsoleRequest head) {
    return visits.maxForm(head);
  }

  public WebAnswer answer(ConsoleRequest request) {
    try {
      guard.check(request);
      var file = files.find(request.path());
      return file.isPresent() ? fresh(request, file.get()) : visits.answer(request);
    } catch (RefusedVisitException e) {
      var answer = refuse(e.status(), e.sentence());
      return e.status() == RequestGuard.METHOD_NOT_ALLOWED
          ? answer.with("Allow", "GET, HEAD, POST")
          : answer;
    } catch (RuntimeException e) {
      LOG.error("unexpected error in a request to the console", e);
      return notice(INTERNAL_ERROR, "Internal error", "The log of the server has its cause.");
    }
  }

  /** The answer to a request that is refused. */
  public WebAnswer refuse(int status, String sentence) {
    return notice(status, "Refused", sentence);
  }

  private static WebAnswer fresh(ConsoleRequest request, WebAnswer file) {
    return request.header("If-None-Match").equals(file.header("ETag"))
        ? WebAnswer.notModified()
        : file;
  }

  private WebAnswer notice(int status, String heading, String sentence) {
    return WebAnswer.html(status, templates.renderNotice(heading, sentence));
  }
}
