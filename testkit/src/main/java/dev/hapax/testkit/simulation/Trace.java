package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The event log of a simulation run, printed if the run fails. */
public final class Trace {
  private final InstantSource clock;
  private final Instant start;
  private final List<Line> lines = new ArrayList<>();
  private Optional<Complaint> complaint = Optional.empty();

  /** A line, whose text is created on demand. Empty = it concerns every key. */
  private record Line(
      Duration at, Optional<RecordKey<?>> about, String who, Supplier<String> what) {
    boolean concerns(RecordKey<?> key) {
      return about.isEmpty() || about.get().equals(key);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%12.6f %-10s %s", at.toNanos() / 1e9, who, what.get());
    }
  }

  private record Complaint(RecordKey<?> about, String what) {}

  Trace(InstantSource clock) {
    this.clock = clock;
    this.start = clock.instant();
  }

  public void add(RecordKey<?> about, String who, Supplier<String> what) {
    lines.add(new Line(time(), Optional.of(about), who, what));
  }

  void addForAll(String who, Supplier<String> what) {
    lines.add(new Line(time(), Optional.empty(), who, what));
  }

  /** Records the first violation, which ends the run. */
  public void complain(RecordKey<?> about, String what) {
    if (complaint.isEmpty()) {
      complaint = Optional.of(new Complaint(about, what));
      add(about, "WRONG", () -> what);
    }
  }

  public Instant now() {
    return clock.instant();
  }

  private Duration time() {
    return Duration.between(start, now());
  }

  void throwIfWrong() {
    complaint.ifPresent(
        wrong -> {
          throw new AssertionError(wrong.what + "\n" + text(l -> l.concerns(wrong.about)));
        });
  }

  /** Returns the whole trace. */
  public String text() {
    return text(_ -> true);
  }

  private String text(Predicate<Line> wanted) {
    return lines.stream().filter(wanted).map(Line::toString).collect(Collectors.joining("\n"));
  }
}
