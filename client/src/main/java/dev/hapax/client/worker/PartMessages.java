package dev.hapax.client.worker;

import com.google.protobuf.Empty;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.Failure;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Encodes the reports about one part. */
record PartMessages(String name, PartOptions options) {

  static final Payload NULL = Payload.newBuilder().setJson("null").build();

  private static final Duration LONGEST = Duration.ofHours(24);

  PartRecord beginning() {
    return record().setBegin(Empty.getDefaultInstance()).build();
  }

  /**
   * An output.
   *
   * @param output null = void
   * @param elapsed how long the body ran; null = it did not run
   */
  PartRecord output(@Nullable Payload output, boolean overlapped, @Nullable Duration elapsed) {
    PartRecord.Builder record =
        record().setOutput(output == null ? NULL : output).setOverlapped(overlapped);
    if (elapsed != null) {
      record.setElapsed(ProtoTimes.toProto(elapsed.compareTo(LONGEST) > 0 ? LONGEST : elapsed));
    }
    return record.build();
  }

  /** A failure of this attempt. */
  PartRecord failure(int attempt, TaskVerdict verdict, Failure failure) {
    PartFailure.Builder report =
        PartFailure.newBuilder()
            .setAttempt(attempt)
            .setFailure(failure)
            .setKind(TaskCalls.kind(verdict.kind()));
    options.retry().ifPresent(retry -> report.setRetry(retry.toProto()));
    Duration retryAfter = verdict.retryAfter();
    if (retryAfter != null) {
      report.setRetryAfter(ProtoTimes.toProto(retryAfter));
    }
    return record().setFailure(report).build();
  }

  private PartRecord.Builder record() {
    return PartRecord.newBuilder().setName(name);
  }
}
