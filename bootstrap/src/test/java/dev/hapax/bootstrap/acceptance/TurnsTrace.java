package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.util.Timestamps;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one run waited for and held, and when, as its events tell. Times are microseconds by the
 * clock of the database.
 */
final class TurnsTrace {
  /** What a line leads to. */
  enum Kind {
    TOKEN,
    STEP,
    DEFINITION
  }

  /** What lets runs in by turns: a token, by its fingerprint, or a limit for one value. */
  record Line(Kind kind, String name, String value) {
    @Override
    public String toString() {
      return kind + " " + name + (value.isEmpty() ? "" : " of " + value);
    }
  }

  /** How a run came to count in a line. */
  enum Entry {
    /** With its start, without a wait. */
    NEW,
    /** At its turn, or with tokens that it owned before. */
    ADMITTED,
    /** No event tells when. */
    UNKNOWN
  }

  /** A time. */
  record Span(long from, long until) {
    long length() {
      return until - from;
    }
  }

  /**
   * A definition as far as turns go.
   *
   * @param ofLast the limit of its last step
   * @param ofRuns its own limit
   */
  record Shape(List<String> steps, Optional<String> ofLast, Optional<String> ofRuns) {}

  /**
   * A time for which a run counts in a line.
   *
   * @param maybe since when it may count: no event tells of an admission without a wait
   * @param sure since when it counts in any case
   * @param mayExceed whether it counts without asking for room
   */
  record Hold(
      Line line,
      TurnsTrace run,
      long maybe,
      long sure,
      long until,
      Entry entry,
      boolean mayExceed) {
    boolean countsAt(long time) {
      return sure <= time && time < until;
    }
  }

  /** A time for which a run waits in its lines. */
  record Wait(
      Set<Line> lines, TurnsTrace run, long turn, long from, long until, boolean isAdmitted) {}

  /** The fence of the claim that completed a step. */
  record Completion(String step, long fence) {}

  /** A hold that has not ended. */
  private record Open(long maybe, long sure, Entry entry, boolean mayExceed) {
    static Open since(long at, Entry entry) {
      return new Open(at, at, entry, false);
    }

    /** It may have been admitted since this time. */
    static Open maybe(long due, boolean mayExceed) {
      return new Open(due, UNKNOWN, Entry.UNKNOWN, mayExceed);
    }

    /** It has been admitted some time before. */
    Open startedAt(long at) {
      return sure == UNKNOWN ? new Open(maybe, at, entry, mayExceed) : this;
    }
  }

  private static final long UNKNOWN = Long.MAX_VALUE;

  private final String id;
  private final Shape shape;
  private final List<RunEvent> events;
  private final List<Hold> holds = new ArrayList<>();
  private final List<Wait> waits = new ArrayList<>();
  private final List<Span> readies = new ArrayList<>();
  private final List<Completion> completions = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  // the run after the events that were read
  private final Map<Line, Open> open = new LinkedHashMap<>();
  private final Set<Line> tokens = new HashSet<>();
  private Optional<Wait> waiting = Optional.empty();
  private String tenant = "";
  private int step;
  private long fence;
  private long ready = UNKNOWN;
  private boolean hasStarted;
  private boolean hasEnded;

  private TurnsTrace(String id, Shape shape, List<RunEvent> events) {
    this.id = id;
    this.shape = shape;
    this.events = List.copyOf(events);
  }

  /** The trace of a run that has ended. */
  static TurnsTrace of(String id, Shape shape, List<RunEvent> events) {
    var trace = new TurnsTrace(id, shape, events);
    for (var i = 0; i < events.size(); i++) {
      trace.require(events.get(i).getVersion() == i + 1, "a gap in its history");
      trace.read(events.get(i), micros(events.get(i)));
    }
    trace.require(trace.hasEnded, "it has not ended");
    return trace;
  }

  private static long micros(RunEvent event) {
    return Timestamps.toMicros(event.getAt());
  }

  String id() {
    return id;
  }

  List<Hold> holds() {
    return holds;
  }

  List<Wait> waits() {
    return waits;
  }

  List<Completion> completions() {
    return completions;
  }

  /** What is wrong with this run alone. */
  List<String> problems() {
    return problems;
  }

  /** When it could be granted to a worker, or enter its step, and was not yet. */
  List<Span> ready() {
    return readies;
  }

  private void require(boolean holds, String problem) {
    if (!holds) {
      problems.add(problem);
    }
  }

  private void read(RunEvent event, long at) {
    if (hasEnded
        && event.getType() != RunEventType.RUN_EVENT_TYPE_RETRIED
        && event.getType() != RunEventType.RUN_EVENT_TYPE_SUPERSEDED) {
      problems.add("an event after its end: " + event.getType());
    }
    switch (event.getType()) {
      case RUN_EVENT_TYPE_CREATED -> created(event.getCreated(), at);
      case RUN_EVENT_TYPE_BLOCKED -> blocked(event.getBlocked(), at);
      case RUN_EVENT_TYPE_ADMITTED -> admitted(at);
      case RUN_EVENT_TYPE_HOOK_CREATED -> own(event.getHookCreated().getFingerprint(), at);
      case RUN_EVENT_TYPE_STEP_STARTED -> started(event.getStepStarted().getFence(), at);
      case RUN_EVENT_TYPE_STEP_COMPLETED -> completed(event.getStepName(), at);
      case RUN_EVENT_TYPE_RETRY_SCHEDULED ->
          again(at, Timestamps.toMicros(event.getRetryScheduled().getRetryAt()));
      case RUN_EVENT_TYPE_LEASE_LOST -> again(at, at);
      case RUN_EVENT_TYPE_LEASE_GIVEN_BACK -> givenBack(event.getLeaseGivenBack(), at);
      case RUN_EVENT_TYPE_STEP_FAILED -> leaveStep(at);
      case RUN_EVENT_TYPE_RETRIED -> retried(at);
      case RUN_EVENT_TYPE_COMPLETED, RUN_EVENT_TYPE_FAILED, RUN_EVENT_TYPE_CANCELLED -> ended(at);
      case RUN_EVENT_TYPE_SUPERSEDED -> {}
      default -> problems.add("not expected here: " + event.getType());
    }
  }

  private static Line token(String fingerprint) {
    return new Line(Kind.TOKEN, fingerprint, "");
  }

  private Optional<Line> ofRuns() {
    return shape.ofRuns().map(limit -> new Line(Kind.DEFINITION, limit, tenant));
  }

  private Optional<Line> ofStep() {
    return step == shape.steps().size() - 1
        ? shape.ofLast().map(limit -> new Line(Kind.STEP, limit, tenant))
        : Optional.empty();
  }

  private void created(RunEvent.Created created, long at) {
    tenant = created.getLabelsMap().getOrDefault(LimitCaller.LABEL, "");
    var due = created.hasStartAt() ? Timestamps.toMicros(created.getStartAt()) : at;
    if (due > at) {
      reach(due);
      ofRuns().ifPresent(line -> open.put(line, Open.maybe(due, false)));
    } else {
      // the start decides about its first step as well: BLOCKED follows, or it is admitted
      reach(at, Entry.NEW);
      ofRuns().ifPresent(line -> open.put(line, Open.since(at, Entry.NEW)));
    }
  }

  /** It is due at its step, and there as soon as a server lets it enter. */
  private void reach(long due) {
    ready = due;
    ofStep().ifPresent(line -> open.put(line, Open.maybe(due, false)));
  }

  /** It is at its step. */
  private void reach(long at, Entry entry) {
    ready = at;
    ofStep().ifPresent(line -> open.put(line, Open.since(at, entry)));
  }

  private void blocked(RunEvent.Blocked blocked, long at) {
    entered(at);
    ready = UNKNOWN;
    // it was not admitted after all
    ofStep().ifPresent(open::remove);
    if (blocked.getOfDefinition()) {
      ofRuns().ifPresent(open::remove);
    }
    require(waiting.isEmpty(), "it waits twice");
    waiting = Optional.of(new Wait(lines(blocked), this, blocked.getTurn(), at, UNKNOWN, false));
  }

  private Set<Line> lines(RunEvent.Blocked blocked) {
    if (blocked.getLimit().isEmpty()) {
      return blocked.getFingerprintsList().stream()
          .map(TurnsTrace::token)
          .collect(Collectors.toSet());
    }
    var line =
        new Line(
            blocked.getOfDefinition() ? Kind.DEFINITION : Kind.STEP,
            blocked.getLimit(),
            blocked.getLimitKey());
    require(
        Optional.of(line).equals(blocked.getOfDefinition() ? ofRuns() : ofStep()),
        "it waits at another limit: " + line);
    return Set.of(line);
  }

  private void admitted(long at) {
    require(waiting.isPresent(), "it was admitted without a wait");
    waiting.ifPresent(wait -> admitted(wait, at));
    waiting = Optional.empty();
  }

  private void admitted(Wait wait, long at) {
    waits.add(new Wait(wait.lines(), this, wait.turn(), wait.from(), at, true));
    var line = wait.lines().iterator().next();
    if (line.kind() == Kind.STEP) {
      reach(at, Entry.ADMITTED);
      return;
    }
    if (line.kind() == Kind.DEFINITION) {
      open.put(line, Open.since(at, Entry.ADMITTED));
    }
    // it enters its step with another commit
    reach(at);
  }

  private void own(String fingerprint, long at) {
    var line = token(fingerprint);
    tokens.add(line);
    open.put(line, Open.since(at, waits.isEmpty() ? Entry.NEW : Entry.ADMITTED));
  }

  /** A wait of which no event tells ends with the next event. */
  private void entered(long at) {
    if (ready < at) {
      readies.add(new Span(ready, at));
    }
  }

  private void started(long granted, long at) {
    entered(at);
    ready = UNKNOWN;
    hasStarted = true;
    fence = granted;
    open.replaceAll((_, hold) -> hold.startedAt(at));
  }

  private void completed(String name, long at) {
    require(shape.steps().get(step).equals(name), "it completed the step " + name);
    completions.add(new Completion(name, fence));
    leaveStep(at);
    step++;
    reach(at);
  }

  private void again(long at, long due) {
    leaveStep(at);
    reach(Math.max(at, due));
  }

  private void givenBack(RunEvent.LeaseGivenBack back, long at) {
    if (back.hasRetryAt()) {
      again(at, Timestamps.toMicros(back.getRetryAt()));
    } else {
      ready = at;
    }
  }

  private void retried(long at) {
    require(hasEnded, "it was retried before its end");
    hasEnded = false;
    // without an event, a run that owned tokens owns them again
    tokens.forEach(line -> open.put(line, Open.since(at, Entry.ADMITTED)));
    // and one that had started does not wait for room
    ofRuns().ifPresent(line -> open.put(line, Open.maybe(at, hasStarted)));
    reach(at);
  }

  private void leaveStep(long at) {
    ofStep().ifPresent(line -> leave(line, at));
  }

  private void leave(Line line, long at) {
    var hold = open.remove(line);
    if (hold != null && hold.maybe() < at) {
      holds.add(
          new Hold(
              line,
              this,
              hold.maybe(),
              Math.min(hold.sure(), at),
              at,
              hold.entry(),
              hold.mayExceed()));
    }
  }

  private void ended(long at) {
    waiting.ifPresent(
        wait -> waits.add(new Wait(wait.lines(), this, wait.turn(), wait.from(), at, false)));
    waiting = Optional.empty();
    List.copyOf(open.keySet()).forEach(line -> leave(line, at));
    entered(at);
    ready = UNKNOWN;
    hasEnded = true;
  }

  /** The events in short. */
  @Override
  public String toString() {
    return id
        + ": "
        + events.stream()
            .map(
                event -> {
                  var name = event.getType().name().replace("RUN_EVENT_TYPE_", "");
                  return Timestamps.toString(event.getAt()).substring(11)
                      + " "
                      + name
                      + (event.hasBlocked() ? " " + event.getBlocked().getTurn() : "")
                      + (event.hasLeaseLost()
                          ? " " + event.getLeaseLost().getFailure().getCode()
                          : "");
                })
            .collect(Collectors.joining(", "));
  }
}
