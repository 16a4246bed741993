package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartFailed;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.PartState;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The parts of the current step of a {@link FakeRun}, under the lock of its work. */
public final class FakeParts {

  private static final Duration HOLD = Duration.ofSeconds(5);

  public final Map<String, RecordedStep> recorded = new LinkedHashMap<>();
  public final Map<String, OpenPart> open = new LinkedHashMap<>();

  /** The pause after each failure, and the number of attempts. */
  public Duration pause = Duration.ofMinutes(1);

  public int attempts = 8;

  /** How many records come with a task, and with each page. */
  public int page = Integer.MAX_VALUE;

  private final Map<String, Long> begunBy = new LinkedHashMap<>();
  private final Timing timing;

  FakeParts(Timing timing) {
    this.timing = timing;
  }

  void clear() {
    recorded.clear();
    open.clear();
  }

  void addTo(Task.Builder task) {
    ListRecordsResponse first = page("0");
    task.addAllRecorded(first.getRecordedList())
        .setMoreRecordedToken(first.getNextPageToken())
        .addAllOpenParts(open.values());
  }

  ListRecordsResponse page(String token) {
    List<RecordedStep> all = List.copyOf(recorded.values());
    int from = Integer.parseInt(token);
    int to = (int) Math.min(all.size(), (long) from + page);
    return ListRecordsResponse.newBuilder()
        .addAllRecorded(all.subList(from, to))
        .setNextPageToken(to < all.size() ? String.valueOf(to) : "")
        .build();
  }

  List<PartResult> report(List<PartRecord> parts, long fence) {
    List<PartResult> results = new ArrayList<>();
    parts.forEach(part -> results.add(report(part, fence)));
    return results;
  }

  private PartResult report(PartRecord part, long fence) {
    String name = part.getName();
    RecordedStep before = recorded.get(name);
    if (before == null && part.hasOutput()) {
      recorded.put(
          name,
          RecordedStep.newBuilder()
              .setName(name)
              .setOutput(part.getOutput())
              .setOverlapped(part.getOverlapped())
              .setIsWait(part.getIsWait())
              .build());
      open.remove(name);
    } else if (before == null && !isFailed(name) && part.hasBegin()) {
      begin(name, fence);
    } else if (before == null && !isFailed(name) && part.hasFailure()) {
      fail(name, part.getFailure());
    }
    return result(name, before != null, fence);
  }

  private boolean isFailed(String name) {
    OpenPart part = open.get(name);
    return part != null && part.getState() == PartState.PART_STATE_FAILED;
  }

  private boolean isBegun(String name) {
    OpenPart part = open.get(name);
    return part != null && part.getState() == PartState.PART_STATE_BEGUN;
  }

  private int attempts(String name) {
    OpenPart part = open.get(name);
    return part == null ? 0 : part.getAttempts();
  }

  private void begin(String name, long fence) {
    if (!isBegun(name)) {
      begunBy.put(name, fence);
      open.put(
          name,
          OpenPart.newBuilder()
              .setName(name)
              .setState(PartState.PART_STATE_BEGUN)
              .setAttempts(attempts(name) + 1)
              .build());
    }
  }

  private void fail(String name, PartFailure report) {
    int next = isBegun(name) ? attempts(name) : attempts(name) + 1;
    if (report.getAttempt() != next) {
      throw new IllegalStateException("attempt " + report.getAttempt() + " instead of " + next);
    }
    OpenPart.Builder part =
        OpenPart.newBuilder().setName(name).setAttempts(next).setFailure(report.getFailure());
    boolean isLast =
        report.getKind() == FailureKind.FAILURE_KIND_FINAL
            || next >= (report.hasRetry() ? report.getRetry().getMaxAttempts() : this.attempts);
    if (isLast) {
      part.setState(PartState.PART_STATE_FAILED);
    } else {
      part.setState(PartState.PART_STATE_RETRY)
          .setDueAt(ProtoTimes.toProto(now().plus(pause(report))));
    }
    open.put(name, part.build());
  }

  private Duration pause(PartFailure report) {
    return report.hasRetryAfter() ? ProtoTimes.toJava(report.getRetryAfter()) : pause;
  }

  private Instant now() {
    return new TimingClock(timing).instant();
  }

  private PartResult result(String name, boolean already, long fence) {
    PartResult.Builder result = PartResult.newBuilder();
    RecordedStep done = recorded.get(name);
    if (done != null) {
      result.getRecordedBuilder().setAlready(already).setOutput(done.getOutput());
      return result.build();
    }
    OpenPart part = Objects.requireNonNull(open.get(name));
    if (part.getState() == PartState.PART_STATE_BEGUN) {
      boolean isMine = Objects.requireNonNull(begunBy.get(name)) == fence;
      result.getBegunBuilder().setInDoubt(!isMine);
      return result.build();
    }
    PartFailed.Builder failed = result.getFailedBuilder();
    failed.setFailure(part.getFailure()).setAttempts(part.getAttempts());
    if (part.hasDueAt()) {
      Duration left = Duration.between(now(), ProtoTimes.toJava(part.getDueAt()));
      failed
          .setRetryAt(part.getDueAt())
          .setRetryIn(ProtoTimes.toProto(left))
          .setHold(left.compareTo(HOLD) <= 0);
    }
    return result.build();
  }
}
