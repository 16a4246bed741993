package dev.hapax.client.run;

import com.google.protobuf.ByteString;
import dev.hapax.client.HapaxException;
import dev.hapax.client.PayloadCodec;
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
 * A request to start a run. Immutable: every {@code with…} is a copy. Hapax checks the limits that
 * this class does not, see {@link HapaxException.Refused}.
 */
public final class RunRequest {

  private final StartRunRequest message;

  private RunRequest(StartRunRequest.Builder message) {
    this.message = message.build();
  }

  /**
   * A run of the latest registered version of the definition, without input, starting now.
   *
   * @param definition at most 255 characters
   */
  public static RunRequest of(String definition) {
    if (definition.isEmpty()) {
      throw new IllegalArgumentException("definition must not be empty");
    }
    return new RunRequest(
        StartRunRequest.newBuilder().setDefinition(KeyText.check("definition", definition)));
  }

  /** Selects a version. Default: the latest registered. */
  public RunRequest withVersion(String version) {
    return new RunRequest(
        message.toBuilder().setDefinitionVersion(KeyText.check("version", version)));
  }

  /**
   * Sets the input that all steps can read; at most {@link PayloadCodec#MAX_BYTES}. Default: the
   * JSON {@code {}}.
   */
  public <T extends @Nullable Object> RunRequest withInput(PayloadCodec<T> codec, T input) {
    Payload payload = codec.encode(input);
    StartRunRequest.Builder copy = message.toBuilder();
    return new RunRequest(payload == null ? copy.clearInput() : copy.setInput(payload));
  }

  /**
   * Sets the idempotency key, at most 255 characters: starts with the same key return the same run.
   * Default: a random key per call of {@link Runs#start}, which makes retries safe; but a second
   * call starts a second run.
   */
  public RunRequest withKey(String idempotencyKey) {
    return new RunRequest(
        message.toBuilder().setIdempotencyKey(KeyText.check("idempotencyKey", idempotencyKey)));
  }

  /**
   * Sets how long the key is kept from the start on; never shorter than the run lives. More than 0,
   * at most 365 days; default 30 days, and 1 hour for a random key.
   */
  public RunRequest withKeyRetention(Duration retention) {
    return new RunRequest(message.toBuilder().setKeyRetention(ProtoTimes.toProto(retention)));
  }

  /**
   * Sets a digest of the request: starts with the same key must have the same one, and may then
   * differ in their input, such as a time in it. At most 1 KiB; default: the inputs are compared,
   * JSON without regard to white space and the order of members.
   */
  public RunRequest withFingerprint(byte[] fingerprint) {
    return new RunRequest(message.toBuilder().setFingerprint(ByteString.copyFrom(fingerprint)));
  }

  /**
   * Returns the existing run of the key even if another request started it. Default: such a start
   * is rejected with IDEMPOTENCY_KEY_REUSED.
   */
  public RunRequest returningExisting() {
    return new RunRequest(
        message.toBuilder().setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RETURN_EXISTING));
  }

  /** Sets the earliest begin of the first step; at most 365 days ahead. Default: now. */
  public RunRequest withStartAt(Instant startAt) {
    return new RunRequest(message.toBuilder().setStartAt(ProtoTimes.toProto(startAt)));
  }

  /** Adds a label to find the run by. At most 32, each part at most 255 characters. */
  public RunRequest withLabel(String name, String value) {
    return new RunRequest(message.toBuilder().putLabels(name, value));
  }

  /** Adds labels, as {@link #withLabel} does. */
  public RunRequest withLabels(Map<String, String> labels) {
    return new RunRequest(message.toBuilder().putAllLabels(labels));
  }

  /**
   * Adds a token that the run owns from its start, with the policy for a token that another run
   * owns. The run owns all of its tokens or is not started: the first token with an owner that is
   * not superseded decides. The response has the {@code disposition}, and the other run as {@code
   * owner}. At most 10.
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

  /** Sets a signal that is in the run's inbox before its first step. Default none. */
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
