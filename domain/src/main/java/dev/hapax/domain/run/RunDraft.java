package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A mutable copy of a run, so that a change names only the fields that differ. */
final class RunDraft {
  private final Run before;
  RunOrigin origin;
  long version;
  StepPosition position;
  Phase phase;
  Json.Obj state;
  Optional<Payload> output;
  Inbox inbox;
  int named;
  HookTokens tokens;
  Optional<Instant> startedAt;
  Deadlines deadlines;
  Optional<Payload> details;
  Optional<StepTurn> stepTurn;
  Optional<StepTurn> definitionTurn;
  List<RunEvent> newEvents;

  RunDraft(Run before) {
    this.before = before;
    this.origin = before.origin();
    this.version = before.version();
    this.position = before.position();
    this.phase = before.phase();
    this.state = before.state();
    this.output = before.output();
    this.inbox = before.inbox();
    this.named = before.named();
    this.tokens = before.tokens();
    this.startedAt = before.startedAt();
    this.deadlines = before.deadlines();
    this.details = before.details();
    this.stepTurn = before.stepTurn();
    this.definitionTurn = before.definitionTurn();
    this.newEvents = before.newEvents();
  }

  Run run() {
    return new Run(
        before.id(),
        before.definition(),
        origin,
        version,
        position,
        phase,
        state,
        output,
        inbox,
        named,
        tokens,
        startedAt,
        deadlines,
        details,
        stepTurn,
        definitionTurn,
        newEvents);
  }
}
