package dev.hapax.domain.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The rules for parts, from the events alone. */
final class ChronicledParts {
  /** A part that is not listed has the state none. */
  enum State {
    BEGUN,
    RETRY,
    FAILED,
    COMPLETED
  }

  /**
   * A part.
   *
   * @param attempts counted since its budget began
   * @param since its first failure since then
   * @param due only of RETRY
   */
  record Line(
      State state,
      long version,
      long nonce,
      int attempts,
      Optional<Instant> since,
      Optional<Instant> due,
      Optional<Failure> failure,
      Optional<Payload> output) {}

  private record Key(int step, String name) {}

  private final Map<Key, Line> lines = new HashMap<>();
  private final Map<Long, Instant> starts = new HashMap<>();

  Optional<Line> find(int step, String name) {
    return Optional.ofNullable(lines.get(new Key(step, name)));
  }

  Optional<State> state(int step, String name) {
    return find(step, name).map(Line::state);
  }

  /** The attempt about which the next failure must be. */
  int next(int step, String name) {
    return find(step, name)
        .map(line -> line.state() == State.BEGUN ? line.attempts() : line.attempts() + 1)
        .orElse(1);
  }

  /** The first failure of a part in its budget, as of the event of one of its failures. */
  Instant since(long version) {
    return starts.getOrDefault(version, Instant.MAX);
  }

  void recorded(RunEvent event, RunChange.StepRecorded recorded) {
    requireNotEnded(event.step(), recorded.name());
    put(event.step(), recorded.name(), completed(event, recorded.output()));
  }

  void begun(RunEvent event, RunChange.PartBegun begun) {
    requireNotEnded(event.step(), begun.name());
    var before = find(event.step(), begun.name());
    assertThat(state(event.step(), begun.name())).as("begun once").isNotEqualTo(of(State.BEGUN));
    assertThat(begun.attempt())
        .as("the count continues")
        .isEqualTo(before.map(Line::attempts).orElse(0) + 1);
    put(
        event.step(),
        begun.name(),
        new Line(
            State.BEGUN,
            event.version(),
            event.actor().nonce(),
            begun.attempt(),
            before.flatMap(Line::since),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
  }

  void failed(RunEvent event, RunChange.PartFailed failed) {
    requireNotEnded(event.step(), failed.name());
    assertThat(failed.attempt())
        .as("the count continues")
        .isEqualTo(next(event.step(), failed.name()));
    failed.retryAt().ifPresent(due -> assertThat(due).isAfterOrEqualTo(event.at()));
    var since = find(event.step(), failed.name()).flatMap(Line::since).orElse(event.at());
    starts.put(event.version(), since);
    put(
        event.step(),
        failed.name(),
        new Line(
            failed.retryAt().isPresent() ? State.RETRY : State.FAILED,
            event.version(),
            event.actor().nonce(),
            failed.attempt(),
            of(since),
            failed.retryAt(),
            of(failed.failure()),
            Optional.empty()));
  }

  /** An operator settles what has no output. */
  void settled(RunEvent event, String name, RunChange.Verdict verdict) {
    requireNotRecorded(event.step(), name);
    var before = find(event.step(), name).orElseThrow();
    put(
        event.step(),
        name,
        switch (verdict) {
          case RunChange.Verdict.Complete(var output, _) -> completed(event, output.orElseThrow());
          case RunChange.Verdict.Fail(var failure) ->
              new Line(
                  State.FAILED,
                  event.version(),
                  0,
                  before.attempts(),
                  before.since(),
                  Optional.empty(),
                  of(failure),
                  Optional.empty());
          case RunChange.Verdict.Repeat _ -> repeated(event);
          case RunChange.Verdict.Skip _ -> throw new AssertionError("a part is not skipped");
        });
  }

  /** A retry of the run reopens the part that failed it, if it has failed, and no other. */
  void retried(RunEvent event, Failure failure) {
    find(event.step(), failure.part())
        .filter(line -> line.state() == State.FAILED)
        .ifPresent(line -> put(event.step(), failure.part(), repeated(event)));
  }

  /** The stored parts are those of the history. */
  void check(Map<?, ?> records) {
    var stored = new HashMap<Key, Line>();
    records.forEach(
        (key, record) -> {
          if (key instanceof PartId(_, var step, var name)) {
            stored.put(new Key(step, name), line((Part) record));
          }
        });
    assertThat(stored).isEqualTo(lines);
  }

  /** The answer about a part says how it is. */
  void check(PartResult result, TaskClaim claim, String name, Instant now) {
    var line = find(claim.step(), name).orElseThrow();
    switch (result) {
      case PartResult.Recorded(var output, _) -> {
        assertThat(line.state()).isEqualTo(State.COMPLETED);
        assertThat(line.output()).contains(output);
      }
      case PartResult.Failed(var failure, var attempts, var next) -> {
        assertThat(line.state()).isEqualTo(next.isPresent() ? State.RETRY : State.FAILED);
        assertThat(line.failure()).contains(failure);
        assertThat(line.attempts()).isEqualTo(attempts);
        assertThat(next).isEqualTo(line.due().map(due -> new PartResult.Next(due, rest(now, due))));
      }
      case PartResult.Begun(var id, var inDoubt) -> {
        assertThat(line.state()).isEqualTo(State.BEGUN);
        assertThat(id).isEqualTo(new PartId(claim.run(), claim.step(), name));
        assertThat(inDoubt).as("in doubt").isEqualTo(line.nonce() != claim.nonce());
      }
    }
  }

  private static Duration rest(Instant now, Instant due) {
    return now.isBefore(due) ? Duration.between(now, due) : Duration.ZERO;
  }

  private static Line line(Part part) {
    return switch (part) {
      case Part.Completed(var version, var nonce, var output, _) ->
          new Line(
              State.COMPLETED,
              version,
              nonce,
              0,
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              of(output));
      case Part.Begun(var version, var nonce, var attempts, var since) ->
          new Line(
              State.BEGUN,
              version,
              nonce,
              attempts,
              since,
              Optional.empty(),
              Optional.empty(),
              Optional.empty());
      case Part.Retrying(var version, var nonce, var attempts, var since, var due, var failure) ->
          new Line(
              State.RETRY,
              version,
              nonce,
              attempts,
              since,
              of(due),
              Optional.of(failure).filter(known -> !known.equals(Part.NONE)),
              Optional.empty());
      case Part.Failed(var version, var nonce, var attempts, var since, var failure) ->
          new Line(
              State.FAILED,
              version,
              nonce,
              attempts,
              since,
              Optional.empty(),
              of(failure),
              Optional.empty());
    };
  }

  private static <T> Optional<T> of(T value) {
    return Optional.of(value);
  }

  private static Line completed(RunEvent event, Payload output) {
    return new Line(
        State.COMPLETED,
        event.version(),
        event.actor().nonce(),
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        of(output));
  }

  private static Line repeated(RunEvent event) {
    return new Line(
        State.RETRY,
        event.version(),
        0,
        0,
        Optional.empty(),
        of(event.at()),
        Optional.empty(),
        Optional.empty());
  }

  private void put(int step, String name, Line line) {
    lines.put(new Key(step, name), line);
  }

  private void requireNotRecorded(int step, String name) {
    assertThat(state(step, name)).as("recorded once: " + name).isNotEqualTo(of(State.COMPLETED));
  }

  private void requireNotEnded(int step, String name) {
    requireNotRecorded(step, name);
    assertThat(state(step, name)).as("failed for good: " + name).isNotEqualTo(of(State.FAILED));
  }
}
