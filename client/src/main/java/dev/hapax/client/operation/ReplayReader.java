package dev.hapax.client.operation;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Replay;
import org.jspecify.annotations.Nullable;

/** Converts the recorded end of an operation to an outcome. */
final class ReplayReader {

  /** Replaces a result that was not kept, so that the work does not run again. */
  static final Payload NOT_RETAINED =
      Payload.newBuilder().setJson("{\"@type\":\"hapax.dev/result-not-retained\"}").build();

  private ReplayReader() {}

  static <T extends @Nullable Object> Outcome<T> outcome(
      Replay replay, PayloadCodec<T> codec, boolean overtaken) {
    var completedAt = ProtoTimes.toJava(replay.getCompletedAt());
    if (replay.hasFailure()) {
      return new Outcome.Rejected<>(replay.getFailure(), completedAt, overtaken);
    }
    Payload result = replay.hasResult() ? replay.getResult() : null;
    if (NOT_RETAINED.equals(result)) {
      return new Outcome.NotRetained<>(completedAt);
    }
    try {
      return new Outcome.Replayed<>(codec.decode(result), completedAt, overtaken);
    } catch (RuntimeException unreadable) {
      throw new OperationException.Unreadable(unreadable);
    }
  }
}
