package dev.hapax.client.worker;

import dev.hapax.client.Codec;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Signal;
import org.jspecify.annotations.Nullable;

/** The step ends well and the run moves on. Immutable: every method is a copy. */
public final class Completion implements TaskResult {

  private final CompleteTaskRequest message;

  private Completion(CompleteTaskRequest.Builder message) {
    this.message = message.build();
  }

  /** Without an output. */
  public static Completion empty() {
    return new Completion(CompleteTaskRequest.newBuilder());
  }

  /** With an output of at most {@link Codec#MAX_BYTES}: the run's, if it is the last step's. */
  public static <T extends @Nullable Object> Completion of(Codec<T> codec, T output) {
    Payload payload = codec.encode(output);
    return payload == null
        ? empty()
        : new Completion(CompleteTaskRequest.newBuilder().setOutput(payload));
  }

  /** There was nothing to do: the step is SKIPPED, and the run's output stays what it was. */
  public static Completion skipped() {
    return new Completion(CompleteTaskRequest.newBuilder().setSkip(true));
  }

  /**
   * What to change in the run's state: a JSON object, merged into it by RFC 7396 (a null removes).
   * Default nothing.
   */
  public Completion withStatePatch(String json) {
    return new Completion(message.toBuilder().setStatePatch(Payload.newBuilder().setJson(json)));
  }

  /** One more signal that is dealt with: it leaves the run's inbox. At most 1,000. */
  public Completion consuming(Signal signal) {
    return new Completion(message.toBuilder().addConsumedSignalIds(signal.getSignalId()));
  }

  CompleteTaskRequest toProto() {
    return message;
  }
}
