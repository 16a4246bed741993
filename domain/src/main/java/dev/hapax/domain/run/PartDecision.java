package dev.hapax.domain.run;

import dev.hapax.domain.definition.RetryPolicy;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what a report does to a part.
 *
 * @param before the part; empty = nothing is known of it
 * @param claim of the worker that reports, which holds the step
 * @param retry the policy of parts that bring none
 * @param jitter random, from [0, 1), for the pause of the policy
 */
record PartDecision(
    PartId id,
    Optional<Part> before,
    TaskClaim claim,
    RetryPolicy retry,
    double jitter,
    Instant now) {

  /** What a report does. */
  sealed interface Effect {}

  /** The part is as the report says, or has ended otherwise: nothing changes. */
  record Known(Part part) implements Effect {}

  /** The report adds an event to the run. */
  record Changed(RunChange.OfPart change) implements Effect {}

  /** The report is not about the attempt that follows. */
  record OtherAttempt(int next) implements Effect {}

  Effect of(PartReport report) {
    var ended =
        before.filter(part -> part instanceof Part.Completed || part instanceof Part.Failed);
    if (ended.isPresent()) {
      return new Known(ended.get());
    }
    return switch (report.result()) {
      case PartReport.Output(var output, var consumed) ->
          new Changed(
              new RunChange.StepRecorded(
                  id.name(),
                  output,
                  consumed,
                  Optional.empty(),
                  report.elapsed(),
                  report.traits()));
      case PartReport.Failing failing -> failing(failing);
      case PartReport.Beginning _ -> beginning();
    };
  }

  private Effect beginning() {
    return begun()
        .<Effect>map(Known::new)
        .orElseGet(() -> new Changed(new RunChange.PartBegun(id.name(), attempts() + 1)));
  }

  private Effect failing(PartReport.Failing report) {
    var next = begun().isPresent() ? attempts() : attempts() + 1;
    if (report.attempt() > next) {
      return new OtherAttempt(next);
    }
    return report.attempt() < next
        ? new Known(before.orElseThrow())
        : new Changed(
            new RunChange.PartFailed(
                id.name(), report.attempt(), report.failure(), retryAt(report)));
  }

  /** When the next attempt is due; empty = there is none. */
  private Optional<Instant> retryAt(PartReport.Failing report) {
    var policy = report.retry().orElse(retry);
    var end = policy.giveUpAfter().map(time -> since().plus(time)).orElse(Instant.MAX);
    var due =
        report
            .retryAfter()
            .map(now::plus)
            .orElseGet(() -> first(now.plus(policy.backoff(report.attempt(), jitter)), end));
    var isLast =
        report.isFinal()
            || !policy.allowsRetryOf(report.failure())
            || report.attempt() >= policy.lastAttempt(0)
            || !now.isBefore(end)
            || due.isAfter(end);
    return isLast ? Optional.empty() : Optional.of(due);
  }

  /** A pause of the policy is cut, so that the last attempt begins when the time is over. */
  private static Instant first(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private Optional<Part> begun() {
    return before.filter(Part.Begun.class::isInstance);
  }

  private Optional<Part.Open> open() {
    return before.filter(Part.Open.class::isInstance).map(Part.Open.class::cast);
  }

  private int attempts() {
    return open().map(Part.Open::attempts).orElse(0);
  }

  private Instant since() {
    return open().flatMap(Part.Open::since).orElse(now);
  }

  /** The part after this event about it. */
  Part after(RunEvent event, RunChange.OfPart change) {
    var nonce = event.actor().nonce();
    return switch (change) {
      case RunChange.StepRecorded recorded ->
          new Part.Completed(event.version(), nonce, recorded.output(), recorded.traits());
      case RunChange.PartBegun(_, var attempt) ->
          new Part.Begun(event.version(), nonce, attempt, open().flatMap(Part.Open::since));
      case RunChange.PartFailed(_, var attempt, var failure, var retryAt) ->
          retryAt
              .<Part>map(
                  due ->
                      new Part.Retrying(
                          event.version(), nonce, attempt, Optional.of(since()), due, failure))
              .orElseGet(
                  () ->
                      new Part.Failed(
                          event.version(), nonce, attempt, Optional.of(since()), failure));
    };
  }

  /** How a part is, for the worker that reports. */
  PartResult result(Part part, boolean already) {
    return switch (part) {
      case Part.Completed(_, _, var output, _) -> new PartResult.Recorded(output, already);
      case Part.Begun begun -> new PartResult.Begun(id, begun.isInDoubt(claim));
      case Part.Retrying(_, _, var attempts, _, var due, var failure) ->
          new PartResult.Failed(failure, attempts, Optional.of(PartResult.Next.at(due, now)));
      case Part.Failed(_, _, var attempts, _, var failure) ->
          new PartResult.Failed(failure, attempts, Optional.empty());
    };
  }
}
