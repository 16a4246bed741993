package dev.hapax.client.claim;

import dev.hapax.client.HapaxException;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.HandlerThreads;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.Timing;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link RemoteJanitor}. */
public final class RemoteJanitorBuilder {

  private final ClientConnection connection;
  private final String module;
  private String workerId = "janitor-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
  private int concurrency = 8;
  private Duration lease = Duration.ofSeconds(60);
  private Duration pollWait = Duration.ofSeconds(20);
  private Duration closeTimeout = Duration.ofSeconds(30);
  private @Nullable Executor executor;
  private @Nullable JanitorTerms terms;

  /** Internal; see {@link HapaxClient#newRemoteJanitor}. */
  public RemoteJanitorBuilder(ClientConnection connection, String module) {
    this.connection = connection;
    this.module = EntityKey.required("module", module);
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
   * How long one check may take before another worker may be asked. 100 ms to 24 h, default 60 s.
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

  /** How long {@link RemoteJanitor#close} lets those check that are at it. Default 30 s. */
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

  /**
   * Starts to poll. To be called once.
   *
   * @throws HapaxException as {@link Janitors#declare} does, if terms are to be declared
   */
  public RemoteJanitor start(RecoveryCheck check) {
    JanitorTerms declared = terms;
    if (declared != null) {
      new Janitors(connection.unaryCalls(), workspace(), workerId).declare(declared);
    }
    return RemoteJanitor.start(this, Objects.requireNonNull(check, "check"));
  }

  RetryingCalls transport() {
    return connection.calls(CallRoute.NONE);
  }

  Timing timing() {
    return connection.timing();
  }

  String module() {
    return module;
  }

  String workspace() {
    return connection.options().workspace();
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
    return connection.options().recordTimeout();
  }

  Duration closeTimeout() {
    return closeTimeout;
  }

  Executor executorOrDefault() {
    Executor own = executor;
    return own == null ? HandlerThreads.of(concurrency) : own;
  }
}
