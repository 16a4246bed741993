package dev.hapax.client;

import dev.hapax.v1.StartRunRequest;
import io.grpc.Channel;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/** Settings of {@link Runs}, {@link Hooks}, {@link Definitions} and {@link Monitoring}. */
public final class RunsBuilder {

  private final Channel channel;
  private String workspace = "";
  private String actor = "";
  private Duration tryTimeout = Duration.ofSeconds(5);
  private Duration callTimeout = Duration.ofSeconds(10);
  private boolean streams = true;
  private Timing timing = SystemTiming.INSTANCE;

  RunsBuilder(Channel channel) {
    this.channel = Objects.requireNonNull(channel, "channel");
  }

  /** The tenant, {@code [a-z][a-z0-9-]{0,62}}. Default: the server's, {@code default}. */
  public RunsBuilder workspace(String workspace) {
    this.workspace = Objects.requireNonNull(workspace, "workspace");
    return this;
  }

  /**
   * Who registers definitions, starts and moves runs, for the record; at most 255 characters.
   * Default: {@code client}.
   */
  public RunsBuilder actor(String actor) {
    this.actor = KeyText.check("actor", actor);
    return this;
  }

  /** How long one try waits for its answer before it is sent again. Default 5 s. */
  public RunsBuilder tryTimeout(Duration tryTimeout) {
    this.tryTimeout = Limits.positive("tryTimeout", tryTimeout);
    return this;
  }

  /** How long a call tries to reach Hapax. Default 10 s; waits take as long as they are told. */
  public RunsBuilder callTimeout(Duration callTimeout) {
    this.callTimeout = Limits.positive("callTimeout", callTimeout);
    return this;
  }

  /**
   * Whether starts of runs travel on one stream, which costs less than a call for each.
   * Interceptors of the channel see the stream instead of the calls. To a server that has no
   * streams every start is a call. Default true.
   */
  public RunsBuilder streams(boolean streams) {
    this.streams = streams;
    return this;
  }

  RunsBuilder timing(Timing timing) {
    this.timing = timing;
    return this;
  }

  /** Makes no call yet. */
  public Runs build() {
    return Runs.of(this);
  }

  /** Definitions with the same settings; makes no call yet. */
  public Definitions definitions() {
    return new Definitions(new UnaryCalls(wire(), callTimeout), workspace, actor);
  }

  /** A description of the server with the same settings; makes no call yet. */
  public Monitoring monitoring() {
    return new Monitoring(new UnaryCalls(wire(), callTimeout));
  }

  /** Hooks with the same settings; makes no call yet. */
  public Hooks hooks() {
    return new Hooks(new UnaryCalls(wire(), callTimeout), workspace, actor);
  }

  RetryingCalls wire() {
    return new RetryingCalls(channel, timing, tryTimeout, streams ? starts() : CallRoute.NONE);
  }

  private CallRoute starts() {
    return new StreamedCalls<>(
        channel, timing, tryTimeout, new StartRunCalls(), Set.of(StartRunRequest.class));
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
}
