package dev.hapax.client.worker;

import dev.hapax.client.PayloadCodec;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Signal;
import org.jspecify.annotations.Nullable;

/** Completes the step; the run continues. Immutable: every method returns a copy. */
public final class Completion implements TaskResult {

  private final CompleteTaskRequest message;

  private Completion(CompleteTaskRequest.Builder message) {
    this.message = message.build();
  }

  /** Completes without an output. */
  public static Completion empty() {
    return new Completion(CompleteTaskRequest.newBuilder());
  }

  /**
   * Completes with an output of at most {@link PayloadCodec#MAX_BYTES}. The last step's is the
   * output of the run.
   */
  public static <T extends @Nullable Object> Completion of(PayloadCodec<T> codec, T output) {
    Payload payload = codec.encode(output);
    return payload == null
        ? empty()
        : new Completion(CompleteTaskRequest.newBuilder().setOutput(payload));
  }

  /** Completes as SKIPPED: there was nothing to do, and the run keeps its previous output. */
  public static Completion skipped() {
    return new Completion(CompleteTaskRequest.newBuilder().setSkip(true));
  }

  /**
   * Changes the run's state with a JSON object, merged by RFC 7396 (a null removes). Default no
   * change.
   */
  public Completion withStatePatch(String json) {
    return new Completion(message.toBuilder().setStatePatch(Payload.newBuilder().setJson(json)));
  }

  /** Consumes a signal: it leaves the run's inbox. At most 1,000. */
  public Completion consuming(Signal signal) {
    return new Completion(message.toBuilder().addConsumedSignalIds(signal.getSignalId()));
  }

  CompleteTaskRequest toProto() {
    return message;
  }
}
