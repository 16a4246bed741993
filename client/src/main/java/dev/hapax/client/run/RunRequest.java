package dev.hapax.client.run;

import dev.hapax.client.HapaxException;
import com.google.protobuf.ByteString;
import dev.hapax.client.Codec;
import dev.hapax.client.RunSignal;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.Payload;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which run to start. Immutable: every {@code with…} is a copy. Limits that are not checked here
 * are checked by Hapax, see {@link HapaxException.Refused}.
 */
public final class RunRequest {

  private final StartRunRequest message;

  private RunRequest(StartRunRequest.Builder message) {
    this.message = message.build();
  }

  /**
   * A run of the version of the definition that was registered last, without input, now.
   *
   * @param definition at most 255 characters
   */
  public static RunRequest of(String definition) {
    if (definition.isEmpty()) {
      throw new IllegalArgumentException("definition is empty");
    }
    return new RunRequest(
        StartRunRequest.newBuilder().setDefinition(KeyText.check("definition", definition)));
  }

  /** Of this version. Default: the one registered last. */
  public RunRequest withVersion(String version) {
    return new RunRequest(
        message.toBuilder().setDefinitionVersion(KeyText.check("version", version)));
  }

  /** What all steps can read; at most {@link Codec#MAX_BYTES}. Default: the JSON {@code {}}. */
  public <T extends @Nullable Object> RunRequest withInput(Codec<T> codec, T input) {
    Payload payload = codec.encode(input);
    StartRunRequest.Builder copy = message.toBuilder();
    return new RunRequest(payload == null ? copy.clearInput() : copy.setInput(payload));
  }

  /**
   * The caller's name for this start, at most 255 characters: whoever starts with the same key gets
   * the same run. Default: one drawn for each call of {@link Runs#start}, so that a lost answer
   * costs nothing; but a second call then starts a second run.
   */
  public RunRequest withKey(String idempotencyKey) {
    return new RunRequest(
        message.toBuilder().setIdempotencyKey(KeyText.check("idempotencyKey", idempotencyKey)));
  }

  /**
   * How long the key is remembered from the start on; never shorter than the run lives. More than
   * 0, at most 365 days; default 30 days, and 1 hour for a key that is drawn.
   */
  public RunRequest withKeyRetention(Duration retention) {
    return new RunRequest(message.toBuilder().setKeyRetention(ProtoTimes.toProto(retention)));
  }

  /**
   * What the input asks for, condensed: a start with the same key must have the same, and may then
   * have another input, such as one with a time in it. At most 1 KiB; default: the inputs are
   * compared, JSON without regard to white space and the order of members.
   */
  public RunRequest withFingerprint(byte[] fingerprint) {
    return new RunRequest(message.toBuilder().setFingerprint(ByteString.copyFrom(fingerprint)));
  }

  /**
   * A key that belongs to a run that another request started gets that run all the same. Default:
   * that is refused with IDEMPOTENCY_KEY_REUSED.
   */
  public RunRequest returningExisting() {
    return new RunRequest(
        message.toBuilder().setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RETURN_EXISTING));
  }

  /** Not before when the first step begins; at most 365 days ahead. Default: at once. */
  public RunRequest withStartAt(Instant startAt) {
    return new RunRequest(message.toBuilder().setStartAt(ProtoTimes.toProto(startAt)));
  }

  /** One more label to find the run by. At most 32, each part at most 255 characters. */
  public RunRequest withLabel(String name, String value) {
    return new RunRequest(message.toBuilder().putLabels(name, value));
  }

  /** More labels, as with {@link #withLabel}. */
  public RunRequest withLabels(Map<String, String> labels) {
    return new RunRequest(message.toBuilder().putAllLabels(labels));
  }

  /**
   * One more token that the run shall own from its first moment, and what to do when it has an
   * owner. The run owns all of its tokens or is not started: the first token with an owner that is
   * not superseded decides. What became of it is the answer's {@code disposition}; its {@code
   * owner} names the other run. At most 10.
   */
  public RunRequest withHook(HookRequest hook) {
    return new RunRequest(
        message.toBuilder()
            .addHooks(
                StartRunRequest.Hook.newBuilder()
                    .setToken(hook.token())
                    .setName(hook.name())
                    .setRetention(ProtoTimes.toProto(hook.retention()))
                    .setOnConflict(hook.onConflict())
                    .setExpectedOwner(hook.expectedOwner())));
  }

  /** A signal that is in the run's inbox before its first step. Default none. */
  public RunRequest withSignal(RunSignal signal) {
    return new RunRequest(message.toBuilder().setSignal(signal.toProto()));
  }

  StartRunRequest toProto() {
    return message;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RunRequest that && message.equals(that.message);
  }

  @Override
  public int hashCode() {
    return message.hashCode();
  }
}
