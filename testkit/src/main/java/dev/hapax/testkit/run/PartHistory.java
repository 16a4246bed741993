package dev.hapax.testkit.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parts of a run by its history alone, as a check of the decisions about them. A part has one
 * of the states none, BEGUN, RETRY, FAILED and COMPLETED.
 */
public final class PartHistory {
  private final RunId run;
  private final Map<PartId, Part> parts = new LinkedHashMap<>();
  private final List<String> violations = new ArrayList<>();

  /** The failure of the run; empty = it has not failed. */
  private Optional<Failure> cause = Optional.empty();

  private PartHistory(RunId run) {
    this.run = run;
  }

  /** Reads the history of a run, from its first event. */
  public static PartHistory of(RunId run, List<RunEvent> events) {
    var history = new PartHistory(run);
    events.forEach(history::add);
    return history;
  }

  /** The parts at the end of the history. */
  public Map<PartId, Part> parts() {
    return Map.copyOf(parts);
  }

  /** The events that the state of their part does not allow. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  private void add(RunEvent event) {
    switch (event.change()) {
      case RunChange.OfPart change -> changed(event, change);
      case RunChange.StepSettled(var part, var verdict, _, _) ->
          part.ifPresentOrElse(
              name -> partSettled(event, id(event, name), verdict),
              () -> stepSettled(event, verdict));
      case RunChange.Retried _ -> retried(event);
      case RunChange.RunFailed(var failure) -> cause = Optional.of(failure);
      default -> {}
    }
  }

  private PartId id(RunEvent event, String name) {
    return new PartId(run, event.step(), name);
  }

  private void changed(RunEvent event, RunChange.OfPart change) {
    var id = id(event, change.name());
    var before = Optional.ofNullable(parts.get(id));
    var made = attempts(before);
    switch (before.orElse(null)) {
      case Part.Completed _ -> violation(event, "the part is recorded");
      case Part.Failed _ -> violation(event, "the part has failed");
      case Part.Begun _ when change instanceof RunChange.PartBegun ->
          violation(event, "the part has begun");
      case null, default -> {}
    }
    parts.put(
        id,
        switch (change) {
          case RunChange.StepRecorded recorded ->
              new Part.Completed(
                  event.version(), event.actor().nonce(), recorded.output(), recorded.traits());
          case RunChange.PartBegun(_, var attempt) -> {
            requireAttempt(event, attempt, made + 1);
            yield new Part.Begun(event.version(), event.actor().nonce(), attempt, since(before));
          }
          case RunChange.PartFailed failed -> {
            requireAttempt(
                event,
                failed.attempt(),
                made + (before.orElse(null) instanceof Part.Begun ? 0 : 1));
            yield failed(event, failed, since(before).orElse(event.at()));
          }
        });
  }

  private void requireAttempt(RunEvent event, int attempt, int expected) {
    if (attempt != expected) {
      violation(event, "attempt " + expected + " follows");
    }
  }

  private static int attempts(Optional<Part> part) {
    return part.orElse(null) instanceof Part.Open open ? open.attempts() : 0;
  }

  private static Optional<Instant> since(Optional<Part> part) {
    return part.orElse(null) instanceof Part.Open open ? open.since() : Optional.empty();
  }

  private static Part failed(RunEvent event, RunChange.PartFailed failed, Instant since) {
    var nonce = event.actor().nonce();
    return failed
        .retryAt()
        .<Part>map(
            due ->
                new Part.Retrying(
                    event.version(),
                    nonce,
                    failed.attempt(),
                    Optional.of(since),
                    due,
                    failed.failure()))
        .orElseGet(
            () ->
                new Part.Failed(
                    event.version(),
                    nonce,
                    failed.attempt(),
                    Optional.of(since),
                    failed.failure()));
  }

  private void partSettled(RunEvent event, PartId id, RunChange.Verdict verdict) {
    var isCause = cause.filter(failure -> failure.part().equals(id.name())).isPresent();
    if (!(parts.get(id) instanceof Part.Open open)) {
      violation(event, "the part has no open end");
      return;
    }
    if (open instanceof Part.Failed && !isCause) {
      violation(event, "the code has caught the failure of the part");
    }
    switch (verdict) {
      case RunChange.Verdict.Complete(var output, _) ->
          output.ifPresentOrElse(
              recorded ->
                  parts.put(id, new Part.Completed(event.version(), 0, recorded, PartTraits.NONE)),
              () -> violation(event, "the part has no output"));
      case RunChange.Verdict.Fail(var failure) ->
          parts.put(
              id, new Part.Failed(event.version(), 0, open.attempts(), open.since(), failure));
      case RunChange.Verdict.Repeat _ -> parts.put(id, repeated(event));
      case RunChange.Verdict.Skip _ -> violation(event, "a part cannot be skipped");
    }
    if (isCause) {
      cause = Optional.empty();
    }
  }

  private void stepSettled(RunEvent event, RunChange.Verdict verdict) {
    if (cause.isEmpty()) {
      violation(event, "the step has not failed");
    }
    cause =
        verdict instanceof RunChange.Verdict.Fail(var failure)
            ? Optional.of(failure)
            : Optional.empty();
  }

  /** A retry reopens the part that failed the run, and no other. */
  private void retried(RunEvent event) {
    var id = cause.map(Failure::part).filter(name -> !name.isEmpty()).map(name -> id(event, name));
    id.filter(part -> parts.get(part) instanceof Part.Failed)
        .ifPresent(part -> parts.put(part, repeated(event)));
    cause = Optional.empty();
  }

  private static Part repeated(RunEvent event) {
    return new Part.Retrying(event.version(), 0, 0, Optional.empty(), event.at(), Part.NONE);
  }

  private void violation(RunEvent event, String what) {
    violations.add(what + ": " + event);
  }
}
