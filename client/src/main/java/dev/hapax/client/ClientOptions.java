package dev.hapax.client;

import dev.hapax.client.internal.GuardedObserver;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Limits;
import java.time.Duration;
import java.util.Objects;

/**
 * Settings that every part of a {@link HapaxClient} shares. Immutable: every {@code with…} is a
 * copy.
 *
 * @param workspace the tenant, {@code [a-z][a-z0-9-]{0,62}}; empty, the default, is the server's
 *     {@code default}
 * @param actor the name of the caller in histories, at most 255 characters; empty, the default, is
 *     the requester of an action, else {@code client}
 * @param tryTimeout how long one attempt of a call waits for its response before the client sends
 *     it again. Default 5 s
 * @param callTimeout how long a call is retried while Hapax is unreachable. Waits that the caller
 *     asks for come on top. Default 10 s
 * @param recordTimeout how long the client retries to record the end of work. A task or an action
 *     is also retried while its lease holds. After the lease the record counts unless another
 *     holder has taken over. Default 60 s
 * @param streams whether operations, run starts and tasks share one stream per kind, which costs
 *     less than a unary call each. Channel interceptors then see the stream instead of the calls.
 *     The client falls back to unary calls if the server has no streams. Default true
 * @param observer receives the events of the client, for metrics; it can fail no call. Default
 *     {@link Observer#NONE}
 */
public record ClientOptions(
    String workspace,
    String actor,
    Duration tryTimeout,
    Duration callTimeout,
    Duration recordTimeout,
    boolean streams,
    Observer observer) {

  /** Every setting at its default. */
  public static final ClientOptions DEFAULT =
      new ClientOptions(
          "",
          "",
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          true,
          Observer.NONE);

  /** Checks the limits. */
  public ClientOptions {
    Objects.requireNonNull(workspace, "workspace");
    KeyText.check("actor", actor);
    Limits.positive("tryTimeout", tryTimeout);
    Limits.positive("callTimeout", callTimeout);
    Limits.positive("recordTimeout", recordTimeout);
    observer = GuardedObserver.of(Objects.requireNonNull(observer, "observer"));
  }

  /** Returns a copy with another {@link #workspace}. */
  public ClientOptions withWorkspace(String workspace) {
    return new ClientOptions(
        workspace, actor, tryTimeout, callTimeout, recordTimeout, streams, observer);
  }

  /** Returns a copy with another {@link #actor}. */
  public ClientOptions withActor(String actor) {
    return new ClientOptions(
        workspace, actor, tryTimeout, callTimeout, recordTimeout, streams, observer);
  }

  /** Returns a copy with another {@link #tryTimeout}. */
  public ClientOptions withTryTimeout(Duration tryTimeout) {
    return new ClientOptions(
        workspace, actor, tryTimeout, callTimeout, recordTimeout, streams, observer);
  }

  /** Returns a copy with another {@link #callTimeout}. */
  public ClientOptions withCallTimeout(Duration callTimeout) {
    return new ClientOptions(
        workspace, actor, tryTimeout, callTimeout, recordTimeout, streams, observer);
  }

  /** Returns a copy with another {@link #recordTimeout}. */
  public ClientOptions withRecordTimeout(Duration recordTimeout) {
    return new ClientOptions(
        workspace, actor, tryTimeout, callTimeout, recordTimeout, streams, observer);
  }

  /** Returns a copy with or without {@link #streams}. */
  public ClientOptions withStreams(boolean streams) {
    return new ClientOptions(
        workspace, actor, tryTimeout, callTimeout, recordTimeout, streams, observer);
  }

  /** Returns a copy with another {@link #observer}. */
  public ClientOptions withObserver(Observer observer) {
    return new ClientOptions(
        workspace, actor, tryTimeout, callTimeout, recordTimeout, streams, observer);
  }
}
