package dev.hapax.client;

import io.grpc.Channel;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link RemoteJanitor}. */
public final class RemoteJanitorBuilder {

  /** How long to try to reach Hapax before the first poll. */
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  private final Channel channel;
  private final String module;
  private String workspace = "";
  private String workerId = "janitor-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
  private int concurrency = 8;
  private Duration lease = Duration.ofSeconds(60);
  private Duration pollWait = Duration.ofSeconds(20);
  private Duration tryTimeout = Duration.ofSeconds(5);
  private Duration recordTimeout = Duration.ofSeconds(60);
  private Duration closeTimeout = Duration.ofSeconds(30);
  private @Nullable Executor executor;
  private @Nullable JanitorTerms terms;
  private Timing timing = SystemTiming.INSTANCE;

  RemoteJanitorBuilder(Channel channel, String module) {
    this.channel = Objects.requireNonNull(channel, "channel");
    this.module = EntityKey.required("module", module);
  }

  /** The tenant, {@code [a-z][a-z0-9-]{0,62}}. Default: the server's, {@code default}. */
  public RemoteJanitorBuilder workspace(String workspace) {
    this.workspace = Objects.requireNonNull(workspace, "workspace");
    return this;
  }

  /**
   * Its name, for histories and operators. At most 255 characters. Default: made of the process id
   * and something random.
   */
  public RemoteJanitorBuilder workerId(String workerId) {
    this.workerId = KeyText.check("workerId", workerId);
    return this;
  }

  /** How many it looks into at once. 1 to 500, default 8. */
  public RemoteJanitorBuilder concurrency(int concurrency) {
    this.concurrency = Limits.within("concurrency", concurrency, 1, 500);
    return this;
  }

  /**
   * How long one look may take before another worker may be asked. 100 ms to 24 h, default 60 s.
   */
  public RemoteJanitorBuilder lease(Duration lease) {
    this.lease = Limits.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return this;
  }

  /** How long one poll waits. 1 ms to 30 s, default 20 s. */
  public RemoteJanitorBuilder pollWait(Duration pollWait) {
    this.pollWait =
        Limits.within("pollWait", pollWait, Duration.ofMillis(1), Duration.ofSeconds(30));
    return this;
  }

  /** How long one try waits for its answer before it is sent again. Default 5 s. */
  public RemoteJanitorBuilder tryTimeout(Duration tryTimeout) {
    this.tryTimeout = Limits.positive("tryTimeout", tryTimeout);
    return this;
  }

  /** How long to try to tell Hapax what was found. Default 60 s. */
  public RemoteJanitorBuilder recordTimeout(Duration recordTimeout) {
    this.recordTimeout = Limits.positive("recordTimeout", recordTimeout);
    return this;
  }

  /** How long {@link RemoteJanitor#close} lets those look that are at it. Default 30 s. */
  public RemoteJanitorBuilder closeTimeout(Duration closeTimeout) {
    this.closeTimeout = Limits.positive("closeTimeout", closeTimeout);
    return this;
  }

  /**
   * Where it looks; it stays the caller's. Default: a virtual thread each, from Java 21 on; else as
   * many daemon threads as {@link #concurrency}.
   */
  public RemoteJanitorBuilder executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Declares these terms before it polls, in place of what the module promised before. Default: the
   * janitor is declared elsewhere, with {@link Janitors#declare} or a file of the server.
   *
   * @param terms remote ones of this module
   */
  public RemoteJanitorBuilder declare(JanitorTerms terms) {
    if (!terms.remote() || !terms.module().equals(module)) {
      throw new IllegalArgumentException("terms are not remote ones of module " + module);
    }
    this.terms = terms;
    return this;
  }

  RemoteJanitorBuilder timing(Timing timing) {
    this.timing = timing;
    return this;
  }

  /**
   * Starts to poll. To be called once.
   *
   * @throws HapaxException as {@link Janitors#declare} does, if terms are to be declared
   */
  public RemoteJanitor start(RecoveryCheck look) {
    JanitorTerms declared = terms;
    if (declared != null) {
      new Janitors(new UnaryCalls(wire(), CALL_TIMEOUT), workspace, workerId).declare(declared);
    }
    return RemoteJanitor.start(this, Objects.requireNonNull(look, "look"));
  }

  RetryingCalls wire() {
    return new RetryingCalls(channel, timing, tryTimeout);
  }

  Timing timing() {
    return timing;
  }

  String module() {
    return module;
  }

  String workspace() {
    return workspace;
  }

  String workerId() {
    return workerId;
  }

  int concurrency() {
    return concurrency;
  }

  Duration lease() {
    return lease;
  }

  Duration pollWait() {
    return pollWait;
  }

  Duration recordTimeout() {
    return recordTimeout;
  }

  Duration closeTimeout() {
    return closeTimeout;
  }

  Executor executorOrDefault() {
    Executor own = executor;
    return own == null ? HandlerThreads.of(concurrency) : own;
  }
}
