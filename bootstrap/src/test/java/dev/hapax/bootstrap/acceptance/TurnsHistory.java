package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.acceptance.TurnsTrace.Entry;
import dev.hapax.bootstrap.acceptance.TurnsTrace.Hold;
import dev.hapax.bootstrap.acceptance.TurnsTrace.Kind;
import dev.hapax.bootstrap.acceptance.TurnsTrace.Line;
import dev.hapax.bootstrap.acceptance.TurnsTrace.Span;
import dev.hapax.bootstrap.acceptance.TurnsTrace.Wait;
import dev.hapax.v1.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks the traces of runs against each other: no run holds a token or a limit without room, runs
 * leave their lines in the order of their turns, and none waits without a reason. It forgets traces
 * that no living run can meet.
 */
final class TurnsHistory {
  /** After a kill, a server finds within 5 s what another one left. */
  private static final long PATIENCE = TimeUnit.SECONDS.toMicros(10);

  /** After this time PostgreSQL has ended the transactions of a server that was stopped. */
  private static final long LOCKED = TimeUnit.SECONDS.toMicros(15);

  /** A time since a caller has asked for a run, whose start is not known yet. */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private final Map<String, Limit> limits;
  private final Map<Line, List<Hold>> holds = new HashMap<>();
  private final Map<Line, List<Wait>> waits = new HashMap<>();
  private final Map<Line, List<Long>> starts = new HashMap<>();
  private final Map<String, Long> completed = new HashMap<>();
  private final Map<String, Long> answered = new HashMap<>();

  /** Waits about which not all is known. */
  private List<Wait> open = new ArrayList<>();

  /** The times for which a server was stopped. */
  private final List<Span> stops = new ArrayList<>();

  /** Since when each caller lets a run live. */
  private final Map<Integer, Long> living = new HashMap<>();

  private final List<String> violations = new ArrayList<>();
  private final Map<String, List<Long>> gaps = new TreeMap<>();
  private long longestGap;
  private long longestIdle;
  private long longestReady;
  private int exactStarts;
  private int vagueStarts;

  /**
   * Begins without runs.
   *
   * @param limits by their names
   */
  TurnsHistory(Map<String, Limit> limits) {
    this.limits = Map.copyOf(limits);
  }

  /** A caller asks for a run; no event of it is earlier. */
  synchronized void begins(int caller) {
    living.put(caller, micros(Instant.now().minus(MARGIN)));
  }

  /** All runs of the caller have ended and been added. */
  synchronized void ends(int caller) {
    living.remove(caller);
    settle();
  }

  private static long micros(Instant time) {
    return TimeUnit.SECONDS.toMicros(time.getEpochSecond())
        + TimeUnit.NANOSECONDS.toMicros(time.getNano());
  }

  /** A server is stopped, the only one at this time. */
  synchronized void stopped() {
    stops.add(new Span(micros(Instant.now()), Long.MAX_VALUE));
  }

  /** It goes on. */
  synchronized void continued() {
    stops.add(new Span(stops.removeLast().from(), micros(Instant.now())));
  }

  /** A worker learned that it has completed the step. */
  synchronized void answered(String run, String step, long fence) {
    match(answered, completed, run + "/" + step, fence);
  }

  private void match(Map<String, Long> told, Map<String, Long> expected, String step, long fence) {
    var other = expected.remove(step);
    if (other == null) {
      other = told.putIfAbsent(step, fence);
    }
    if (other != null && other != fence) {
      violations.add(step + " was completed with the fences " + other + " and " + fence);
    }
  }

  synchronized void add(TurnsTrace trace) {
    trace.problems().forEach(problem -> violations.add(problem + "\n  " + trace));
    for (var ready : trace.ready()) {
      longestReady = Math.max(longestReady, ready.length());
      if (ready.length() > PATIENCE + stopped(ready)) {
        violations.add("for %s no worker got it\n  %s".formatted(seconds(ready.length()), trace));
      }
    }
    trace
        .completions()
        .forEach(done -> match(completed, answered, trace.id() + "/" + done.step(), done.fence()));
    for (var hold : trace.holds()) {
      var beside = holds.computeIfAbsent(hold.line(), _ -> new ArrayList<>());
      beside.add(hold);
      checkRoom(hold, beside);
      checkRate(hold);
    }
    for (var wait : trace.waits()) {
      wait.lines().forEach(line -> waits.computeIfAbsent(line, _ -> new ArrayList<>()).add(wait));
      open.add(wait);
    }
  }

  /** How many may be there at once; 0 = any number. */
  private int room(Line line) {
    return line.kind() == Kind.TOKEN ? 1 : limit(line).getMaxRunning();
  }

  private Limit limit(Line line) {
    return limits.getOrDefault(line.name(), Limit.getDefaultInstance());
  }

  /** At each admission there was room, also at those that only this hold shows to be too many. */
  private void checkRoom(Hold added, List<Hold> beside) {
    var room = room(added.line());
    if (room == 0) {
      return;
    }
    var suspects =
        beside.stream().filter(hold -> added.countsAt(hold.sure()) || hold.equals(added));
    for (var hold :
        suspects.filter(hold -> !hold.mayExceed() && hold.sure() < hold.until()).toList()) {
      var here = beside.stream().filter(other -> isBeside(other, hold.sure())).toList();
      if (here.size() > room) {
        violations.add(
            here.size()
                + " instead of "
                + room
                + " at "
                + added.line()
                + " at "
                + time(hold.sure())
                + "\n"
                + told(here));
      }
    }
  }

  /** One that asks for no room may have come after others at the same time. */
  private static boolean isBeside(Hold other, long time) {
    return other.countsAt(time) && (!other.mayExceed() || other.sure() < time);
  }

  private static String told(List<Hold> holds) {
    return holds.stream().map(hold -> "  " + hold.run()).collect(Collectors.joining("\n"));
  }

  /** The admission of a run that did not wait is known only from its start. */
  private void checkRate(Hold hold) {
    var most = limit(hold.line()).getMaxStarts();
    if (most == 0) {
      return;
    }
    if (hold.entry() == Entry.UNKNOWN) {
      vagueStarts++;
      return;
    }
    exactStarts++;
    var times = starts.computeIfAbsent(hold.line(), _ -> new ArrayList<>());
    var found = Collections.binarySearch(times, hold.sure());
    var index = found < 0 ? -found - 1 : found;
    times.add(index, hold.sure());
    var per = Durations.toMicros(limit(hold.line()).getPer());
    for (var first = Math.max(0, index - most - 1); first <= index; first++) {
      var last = first + most + 1;
      if (last < times.size() && times.get(last) - times.get(first) <= per) {
        violations.add(
            (most + 2)
                + " starts at "
                + hold.line()
                + " from "
                + time(times.get(first))
                + " to "
                + time(times.get(last))
                + ", around\n  "
                + hold.run());
      }
    }
  }

  /** Judges the waits of which all is known, and forgets those that no living run can meet. */
  private void settle() {
    var horizon = living.values().stream().mapToLong(since -> since).min().orElse(Long.MAX_VALUE);
    var known = open.stream().collect(Collectors.partitioningBy(wait -> wait.until() <= horizon));
    known.getOrDefault(true, List.of()).forEach(this::judge);
    open = new ArrayList<>(known.getOrDefault(false, List.of()));
    var kept = open.stream().mapToLong(Wait::from).reduce(horizon, Math::min);
    holds.values().forEach(all -> all.removeIf(hold -> hold.until() < kept));
    waits.values().forEach(all -> all.removeIf(wait -> wait.until() < kept));
    starts.forEach(
        (line, times) ->
            times.removeIf(at -> at < kept - 2 * Durations.toMicros(limit(line).getPer())));
  }

  private void judge(Wait wait) {
    for (var other : before(wait)) {
      if (wait.isAdmitted() && other.until() > wait.until()) {
        violations.add(
            "at %s one went before another in %s\n  %s\n  %s"
                .formatted(time(wait.until()), wait.lines(), wait.run(), other.run()));
      }
    }
    for (var hold : beside(wait)) {
      if (hold.entry() == Entry.NEW && wait.from() < hold.sure() && hold.sure() < wait.until()) {
        violations.add(
            "at %s a new run passed one that waited at %s\n  %s\n  %s"
                .formatted(time(hold.sure()), hold.line(), hold.run(), wait.run()));
      }
    }
    var free = wait.from();
    var reasons =
        Stream.concat(
                before(wait).stream().map(other -> new Span(other.from(), other.until())),
                wait.lines().stream().flatMap(line -> busy(line, wait)))
            .filter(reason -> reason.from() < wait.until())
            .sorted(Comparator.comparingLong(Span::from))
            .toList();
    var unexplained = new Span(free, free);
    for (var reason : reasons) {
      unexplained = longer(unexplained, free, reason.from());
      free = Math.max(free, reason.until());
    }
    unexplained = longer(unexplained, free, wait.until());
    var gap = Math.max(0, wait.until() - free);
    var longest = unexplained.length();
    longestIdle = Math.max(longestIdle, longest);
    if (wait.isAdmitted()) {
      var line = wait.lines().iterator().next();
      var name = line.kind() == Kind.TOKEN ? "tokens" : line.kind() + " " + line.name();
      gaps.computeIfAbsent(name, _ -> new ArrayList<>()).add(gap);
      longestGap = Math.max(longestGap, gap);
    }
    if (longest > PATIENCE + stopped(unexplained)) {
      violations.add(
          "for %s the first in line waited without a reason in %s\n  %s\n beside\n%s"
              .formatted(seconds(longest), wait.lines(), wait.run(), told(beside(wait))));
    }
  }

  private static Span longer(Span one, long from, long until) {
    return until - from > one.length() ? new Span(from, until) : one;
  }

  /** For how long a server may have kept a line locked that was stopped at a bad moment. */
  private long stopped(Span idle) {
    return stops.stream()
        .mapToLong(
            stop ->
                Math.min(
                    LOCKED,
                    Math.min(idle.until(), stop.until()) - Math.max(idle.from(), stop.from())))
        .filter(time -> time > 0)
        .sum();
  }

  /** Those with smaller turns in one of its lines. */
  private List<Wait> before(Wait wait) {
    return wait.lines().stream()
        .flatMap(line -> waits.getOrDefault(line, List.of()).stream())
        .filter(other -> other.turn() < wait.turn() && meets(wait, other.from(), other.until()))
        .toList();
  }

  private static boolean meets(Wait wait, long from, long until) {
    return from < wait.until() && until > wait.from();
  }

  private List<Hold> beside(Wait wait) {
    return wait.lines().stream().flatMap(line -> beside(line, wait)).toList();
  }

  private Stream<Hold> beside(Line line, Wait wait) {
    return holds.getOrDefault(line, List.of()).stream()
        .filter(hold -> meets(wait, hold.maybe(), hold.until()));
  }

  /** When a line had no room, or its rate allowed no start. */
  private Stream<Span> busy(Line line, Wait wait) {
    return Stream.concat(full(line, wait).stream(), paced(line));
  }

  private Stream<Span> paced(Line line) {
    var limit = limit(line);
    var interval =
        limit.getMaxStarts() == 0
            ? 0
            : Math.ceilDiv(Durations.toMicros(limit.getPer()), (long) limit.getMaxStarts());
    return starts.getOrDefault(line, List.of()).stream().map(at -> new Span(at, at + interval));
  }

  private List<Span> full(Line line, Wait wait) {
    var room = room(line);
    if (room == 0) {
      return List.of();
    }
    var there = beside(line, wait).toList();
    var comes = there.stream().mapToLong(Hold::maybe).sorted().toArray();
    var goes = there.stream().mapToLong(Hold::until).sorted().toArray();
    var full = new ArrayList<Span>();
    var next = 0;
    var gone = 0;
    var since = 0L;
    while (gone < goes.length) {
      if (next < comes.length && comes[next] < goes[gone]) {
        if (next - gone + 1 == room) {
          since = comes[next];
        }
        next++;
      } else {
        if (next - gone == room) {
          full.add(new Span(since, goes[gone]));
        }
        gone++;
      }
    }
    return full;
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** Of steps whose completion only the history or only a worker knows; none at the end. */
  synchronized List<String> unmatched() {
    return Stream.concat(completed.keySet().stream(), answered.keySet().stream()).toList();
  }

  synchronized String longest() {
    return "longest hand-over %s, idle line %s, ready run %s"
        .formatted(seconds(longestGap), seconds(longestIdle), seconds(longestReady));
  }

  /** The hand-overs of each kind of line. */
  synchronized String summary() {
    return gaps.entrySet().stream()
            .map(entry -> entry.getKey() + " " + percentiles(entry.getValue()))
            .collect(Collectors.joining("; "))
        + "; "
        + exactStarts
        + " starts by a rate, "
        + vagueStarts
        + " at an unknown time";
  }

  private static String percentiles(List<Long> gaps) {
    var sorted = gaps.stream().mapToLong(gap -> gap).sorted().toArray();
    return sorted.length
        + ": p50 "
        + seconds(sorted[sorted.length / 2])
        + " p99 "
        + seconds(sorted[sorted.length * 99 / 100])
        + " max "
        + seconds(sorted[sorted.length - 1]);
  }

  private static String seconds(long micros) {
    return String.format(Locale.ROOT, "%.3f s", micros / 1e6);
  }

  private static String time(long micros) {
    return Instant.ofEpochSecond(0, TimeUnit.MICROSECONDS.toNanos(micros)).toString();
  }
}
