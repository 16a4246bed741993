package dev.hapax.client;

import com.google.protobuf.ByteString;
import dev.hapax.client.internal.DetectedTraces;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.Payload;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a run is started. Immutable: each method returns a copy. Hapax checks the limits that this
 * class does not, see {@link HapaxException.Refused}.
 *
 * <pre>{@code
 * hapax.runs().start("order", run -> run.key(orderId).input(order).label("shop", "berlin"));
 * }</pre>
 */
public final class StartOptions {

  private static final Duration DRAWN_KEY_RETENTION = Duration.ofHours(1);
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final Connection connection;
  private final StartRunRequest message;
  private final @Nullable SignalRequest signal;

  private StartOptions(
      Connection connection, StartRunRequest.Builder message, @Nullable SignalRequest signal) {
    this.connection = connection;
    this.message = message.build();
    this.signal = signal;
  }

  static StartOptions of(Connection connection, String definition) {
    return new StartOptions(
        connection,
        StartRunRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setActor(connection.actor())
            .setDefinition(KeyText.required("definition", definition)),
        null);
  }

  private StartOptions copy(StartRunRequest.Builder changed) {
    return new StartOptions(connection, changed, signal);
  }

  /**
   * Sets the idempotency key, at most 255 characters: starts with the same key return the same run.
   * Default: a random key for each start, which makes retries safe; but a second start is a second
   * run.
   */
  public StartOptions key(String idempotencyKey) {
    return copy(
        message.toBuilder().setIdempotencyKey(KeyText.check("idempotencyKey", idempotencyKey)));
  }

  /**
   * Sets how long the key is kept from the start on; never shorter than the run lives. More than 0,
   * at most 365 days; default 30 days, and 1 hour for a random key.
   */
  public StartOptions keyRetention(Duration retention) {
    Ranges.within("keyRetention", retention, Duration.ofNanos(1), Duration.ofDays(365));
    return copy(message.toBuilder().setKeyRetention(ProtoTimes.toProto(retention)));
  }

  /**
   * Sets the input that all steps can read, at most 256 KiB. Default: the JSON {@code {}}.
   *
   * @param input a {@link Value}, or anything with a JSON
   */
  public StartOptions input(Object input) {
    return payload(connection.payload(input));
  }

  <T extends @Nullable Object> StartOptions input(Codec<T> codec, T input) {
    return payload(connection.write(codec, input));
  }

  private StartOptions payload(@Nullable Payload input) {
    StartRunRequest.Builder changed = message.toBuilder();
    return copy(input == null ? changed.clearInput() : changed.setInput(input));
  }

  /** Selects a version of the definition. Default: the latest registered. */
  public StartOptions version(String version) {
    return copy(message.toBuilder().setDefinitionVersion(KeyText.check("version", version)));
  }

  /** Sets the earliest begin of the first step; at most 365 days ahead. Default: now. */
  public StartOptions startAt(Instant startAt) {
    return copy(message.toBuilder().setStartAt(ProtoTimes.toProto(startAt)));
  }

  /**
   * Sets the time after which the run fails with {@code RUN_TIMEOUT}, from its {@link #startAt} on,
   * whatever its status. A retry of the failed run has the whole time again. More than 0, at most
   * 365 days; default: that of the definition, if it has one.
   */
  public StartOptions timeout(Duration timeout) {
    Ranges.within("timeout", timeout, Duration.ofNanos(1), Duration.ofDays(365));
    return copy(message.toBuilder().setTimeout(ProtoTimes.toProto(timeout)));
  }

  /**
   * Sets the time within which the first step must start, from {@link #startAt} on. Otherwise the
   * run fails with {@code NOT_STARTED_IN_TIME}, also if no worker polls. More than 0, at most 365
   * days; default: any time.
   */
  public StartOptions startTimeout(Duration timeout) {
    Ranges.within("startTimeout", timeout, Duration.ofNanos(1), Duration.ofDays(365));
    return copy(message.toBuilder().setStartTimeout(ProtoTimes.toProto(timeout)));
  }

  /**
   * Sets how long the start waits until the run that answers it has ended: {@link Started#run} is
   * then the run at the end of the wait, and {@link RunHandle#result} needs no further call if it
   * has ended. At most 30 s; default 0: the start is answered at once.
   */
  public StartOptions wait(Duration wait) {
    Ranges.within("wait", wait, Duration.ZERO, MAX_WAIT);
    return copy(message.toBuilder().setWait(ProtoTimes.toProto(wait)));
  }

  /** Adds a label to find the run by. At most 32, each part at most 255 characters. */
  public StartOptions label(String name, String value) {
    return copy(message.toBuilder().putLabels(name, value));
  }

  /** Adds labels, as {@link #label} does. */
  public StartOptions labels(Map<String, String> labels) {
    return copy(message.toBuilder().putAllLabels(labels));
  }

  /**
   * Adds a token that the run owns from its start, with the policy for a token that another run
   * owns. The run owns all of its tokens or is not started: the first token with an owner that is
   * not superseded decides, see {@link Started}. At most 10.
   */
  public StartOptions hook(HookRequest hook) {
    return copy(
        message.toBuilder()
            .addHooks(
                StartRunRequest.Hook.newBuilder()
                    .setToken(hook.token())
                    .setName(hook.name())
                    .setRetention(ProtoTimes.toProto(hook.retention()))
                    .setOnConflict(hook.onConflict())
                    .setExpectedOwner(hook.expectedOwner())
                    .setQueueLimit(hook.queueLimit())
                    .setQueueFull(hook.queueFull())));
  }

  /** Sets a signal that is in the run's inbox before its first step. Default none. */
  public StartOptions signal(SignalRequest signal) {
    return new StartOptions(connection, message.toBuilder(), signal);
  }

  /**
   * Sets a digest of the request: starts with the same key must have the same one, and may then
   * differ in their input, such as a time in it. At most 1 KiB; default: the inputs are compared,
   * JSON without regard to white space and the order of members.
   */
  public StartOptions fingerprint(byte[] fingerprint) {
    Ranges.within("the length of the fingerprint", fingerprint.length, 0, 1024);
    return copy(message.toBuilder().setFingerprint(ByteString.copyFrom(fingerprint)));
  }

  /**
   * Returns the existing run of the key even if another request started it. Default: such a start
   * is refused with IDEMPOTENCY_KEY_REUSED.
   */
  public StartOptions returnExisting() {
    return copy(
        message.toBuilder().setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RETURN_EXISTING));
  }

  /**
   * Starts a new run under the key if the run of the key is FAILED or CANCELLED and another request
   * started it: a corrected start. The earlier run is never continued. Otherwise, a start that
   * differs is refused with IDEMPOTENCY_KEY_REUSED. Needs a {@link #key}; replaces {@link
   * #returnExisting}.
   */
  public StartOptions restartFailed() {
    return copy(message.toBuilder().setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED));
  }

  StartRunRequest message() {
    StartRunRequest.Builder request =
        message.toBuilder().setTraceparent(DetectedTraces.INSTANCE.current());
    if (message.getIdempotencyKey().isEmpty()) {
      request.setIdempotencyKey(UUID.randomUUID().toString());
      if (!message.hasKeyRetention()) {
        request.setKeyRetention(ProtoTimes.toProto(DRAWN_KEY_RETENTION));
      }
    }
    return (signal == null ? request : request.setSignal(signal.message(connection))).build();
  }
}
