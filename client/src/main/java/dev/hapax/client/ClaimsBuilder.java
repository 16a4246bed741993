package dev.hapax.client;

import io.grpc.Channel;
import java.time.Duration;
import java.util.Objects;

/** Settings of {@link Claims}, {@link Entities}, {@link Lifecycles} and {@link Janitors}. */
public final class ClaimsBuilder {

  private final Channel channel;
  private String workspace = "";
  private String actor = "";
  private Duration tryTimeout = Duration.ofSeconds(5);
  private Duration callTimeout = Duration.ofSeconds(10);
  private Duration recordTimeout = Duration.ofSeconds(60);
  private Duration holdAtMost = Duration.ofHours(1);
  private boolean interruptWhenLost;
  private Timing timing = SystemTiming.INSTANCE;

  ClaimsBuilder(Channel channel) {
    this.channel = Objects.requireNonNull(channel, "channel");
  }

  /** The tenant, {@code [a-z][a-z0-9-]{0,62}}. Default: the server's, {@code default}. */
  public ClaimsBuilder workspace(String workspace) {
    this.workspace = Objects.requireNonNull(workspace, "workspace");
    return this;
  }

  /**
   * Who acts, for the history and for those who come second; at most 255 characters. Default: the
   * requester of an action, else {@code client}.
   */
  public ClaimsBuilder actor(String actor) {
    this.actor = KeyText.check("actor", actor);
    return this;
  }

  /** How long one try waits for its answer before it is sent again. Default 5 s. */
  public ClaimsBuilder tryTimeout(Duration tryTimeout) {
    this.tryTimeout = Limits.positive("tryTimeout", tryTimeout);
    return this;
  }

  /**
   * How long a call tries to reach Hapax, besides {@link ActionRequest#maxWait} and never past the
   * caller's deadline; not how long the end of an action is told. Default 10 s.
   */
  public ClaimsBuilder callTimeout(Duration callTimeout) {
    this.callTimeout = Limits.positive("callTimeout", callTimeout);
    return this;
  }

  /**
   * How long to try to record how an action ended, also when the lease is over: it counts unless
   * somebody took over. As long as the lease holds it is tried in any case. Default 60 s.
   */
  public ClaimsBuilder recordTimeout(Duration recordTimeout) {
    this.recordTimeout = Limits.positive("recordTimeout", recordTimeout);
    return this;
  }

  /**
   * How long the lease is renewed at most, so that an action that never ends does not keep its
   * entity for ever. Default 1 h.
   */
  public ClaimsBuilder holdAtMost(Duration holdAtMost) {
    this.holdAtMost =
        Limits.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365));
    return this;
  }

  /** Interrupt the thread of an action whose claim is lost. Default false. */
  public ClaimsBuilder interruptWhenLost(boolean interruptWhenLost) {
    this.interruptWhenLost = interruptWhenLost;
    return this;
  }

  ClaimsBuilder timing(Timing timing) {
    this.timing = timing;
    return this;
  }

  /** Makes no call yet. */
  public Claims build() {
    return new Claims(copy());
  }

  /** Entities with the same settings; makes no call yet. */
  public Entities entities() {
    return new Entities(calls(), workspace, actor);
  }

  /** Lifecycles with the same settings; makes no call yet. */
  public Lifecycles lifecycles() {
    return new Lifecycles(calls(), workspace, actor);
  }

  /** Janitors with the same settings; makes no call yet. */
  public Janitors janitors() {
    return new Janitors(calls(), workspace, actor);
  }

  /** What is built does not change when this does. */
  ClaimsBuilder copy() {
    ClaimsBuilder copy =
        new ClaimsBuilder(channel)
            .workspace(workspace)
            .actor(actor)
            .tryTimeout(tryTimeout)
            .callTimeout(callTimeout)
            .recordTimeout(recordTimeout)
            .holdAtMost(holdAtMost)
            .interruptWhenLost(interruptWhenLost);
    return copy.timing(timing);
  }

  private UnaryCalls calls() {
    return new UnaryCalls(wire(), callTimeout);
  }

  RetryingCalls wire() {
    return new RetryingCalls(channel, timing, tryTimeout);
  }

  Timing timing() {
    return timing;
  }

  String workspace() {
    return workspace;
  }

  String actor() {
    return actor;
  }

  Duration callTimeout() {
    return callTimeout;
  }

  Duration recordTimeout() {
    return recordTimeout;
  }

  Duration holdAtMost() {
    return holdAtMost;
  }

  boolean interruptWhenLost() {
    return interruptWhenLost;
  }
}
