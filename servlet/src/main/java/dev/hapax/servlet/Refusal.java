package dev.hapax.servlet;

import dev.hapax.client.HapaxException;
import dev.hapax.client.Observer.HttpOutcome;
import dev.hapax.client.OnceOutcome;
import dev.hapax.v1.ErrorReason;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a request has no response of its handler, as {@code application/problem+json}.
 *
 * @param outcome for metrics
 * @param retryAfter seconds; 0 = none
 */
record Refusal(HttpOutcome outcome, int status, String title, String detail, long retryAfter) {

  private static final Logger log = LoggerFactory.getLogger(Refusal.class);
  private static final int TOO_LARGE = 413;
  private static final int UNPROCESSABLE = 422;

  private static final Refusal NOT_BEGUN =
      new Refusal(
          HttpOutcome.UNAVAILABLE,
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "Service Unavailable",
          "the request was not begun; send it again with the same Idempotency-Key",
          1);

  /** A refusal before the operation begins. */
  static final class Refused extends Exception {
    private final transient Refusal refusal;

    private Refused(Refusal refusal) {
      super(refusal.detail, null, false, false);
      this.refusal = refusal;
    }

    Refusal refusal() {
      return refusal;
    }
  }

  static Refused invalid(String detail) {
    return new Refused(
        new Refusal(
            HttpOutcome.INVALID, HttpServletResponse.SC_BAD_REQUEST, "Bad Request", detail, 0));
  }

  static Refused tooLarge(int limit) {
    return new Refused(
        new Refusal(
            HttpOutcome.INVALID,
            TOO_LARGE,
            "Content Too Large",
            "the body of a request with an Idempotency-Key has at most " + limit + " bytes",
            0));
  }

  /** The service is not set up as the filter needs it; its log has the reason. */
  static Refused misconfigured(String reason) {
    log.error("a request was not begun: {}", reason);
    return new Refused(untracked());
  }

  private static Refusal untracked() {
    return new Refusal(
        HttpOutcome.MISCONFIGURED,
        HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
        "Internal Server Error",
        "the service cannot track this request; its operator finds the reason in the log",
        0);
  }

  /** An outcome without a response. */
  static Refusal of(OnceOutcome<?> outcome) {
    if (outcome instanceof OnceOutcome.InProgress<?> other) {
      return conflict(
          HttpOutcome.IN_PROGRESS,
          "a request with this Idempotency-Key is in progress",
          seconds(other.retryAfter()));
    }
    if (outcome instanceof OnceOutcome.KeyReused<?>) {
      return new Refusal(
          HttpOutcome.KEY_REUSED,
          UNPROCESSABLE,
          "Unprocessable Content",
          "the Idempotency-Key was used with another request; use a new one",
          0);
    }
    if (outcome instanceof OnceOutcome.ClaimLost<?>) {
      return conflict(
          HttpOutcome.CLAIM_LOST,
          "another holder took over this request; send it again for its response",
          1);
    }
    if (outcome instanceof OnceOutcome.Indeterminate<?>) {
      return conflict(
          HttpOutcome.INDETERMINATE,
          "an earlier attempt of this request may have taken effect; it must be resolved",
          0);
    }
    if (outcome instanceof OnceOutcome.NotRetained<?>) {
      return notKept();
    }
    return conflict(
        HttpOutcome.REJECTED,
        "a request with this Idempotency-Key failed for good; use a new one",
        0);
  }

  /** An operation that did not begin, or whose record cannot be read. */
  static Refusal of(Throwable failure) {
    if (failure instanceof HapaxException.Unavailable
        || failure instanceof RejectedExecutionException) {
      return NOT_BEGUN;
    }
    if (failure instanceof HapaxException.Unreadable) {
      log.error("the recorded result is no response", failure);
      return notKept();
    }
    log.error("a request was not begun", failure);
    if (failure instanceof HapaxException.Unauthenticated
        || failure instanceof HapaxException.PermissionDenied) {
      // the key of this service, which is not its caller's business
      return NOT_BEGUN;
    }
    if (failure instanceof HapaxException.Refused refused
        && refused.reason() == ErrorReason.ERROR_REASON_INVALID_FIELD) {
      return invalid("the Idempotency-Key, the path or the account is not valid").refusal();
    }
    return untracked();
  }

  static Refusal interrupted() {
    return NOT_BEGUN;
  }

  private static Refusal notKept() {
    return conflict(
        HttpOutcome.NOT_RETAINED, "the request was executed, but its response was not kept", 0);
  }

  private static Refusal conflict(HttpOutcome outcome, String detail, long retryAfter) {
    return new Refusal(outcome, HttpServletResponse.SC_CONFLICT, "Conflict", detail, retryAfter);
  }

  private static long seconds(Duration pause) {
    return Math.max(1, pause.plusSeconds(1).minusNanos(1).toSeconds());
  }

  void send(HttpServletResponse wire) throws IOException {
    byte[] body =
        String.format(
                Locale.ROOT,
                "{\"title\":%s,\"status\":%d,\"detail\":%s}",
                ResponseJson.quoted(title),
                status,
                ResponseJson.quoted(detail))
            .getBytes(StandardCharsets.UTF_8);
    wire.setStatus(status);
    wire.setContentType("application/problem+json");
    wire.setContentLength(body.length);
    if (retryAfter > 0) {
      wire.setHeader("Retry-After", Long.toString(retryAfter));
    }
    wire.getOutputStream().write(body);
  }
}
