package dev.hapax.client.claim;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
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
   * Sets the name of the janitor in histories and for operators. At most 255 characters. Default:
   * from the process id and a random part.
   */
  public RemoteJanitorBuilder workerId(String workerId) {
    this.workerId = KeyText.check("workerId", workerId);
    return this;
  }

  /** Sets the number of concurrent checks. 1 to 500, default 8. */
  public RemoteJanitorBuilder concurrency(int concurrency) {
    this.concurrency = Limits.within("concurrency", concurrency, 1, 500);
    return this;
  }

  /**
   * Sets how long a check may take before another worker gets the recovery. 100 ms to 24 h, default
   * 60 s.
   */
  public RemoteJanitorBuilder lease(Duration lease) {
    this.lease = Limits.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return this;
  }

  /** Sets how long one poll waits. 1 ms to 30 s, default 20 s. */
  public RemoteJanitorBuilder pollWait(Duration pollWait) {
    this.pollWait =
        Limits.within("pollWait", pollWait, Duration.ofMillis(1), Duration.ofSeconds(30));
    return this;
  }

  /** Sets how long {@link RemoteJanitor#close} waits for running checks. Default 30 s. */
  public RemoteJanitorBuilder closeTimeout(Duration closeTimeout) {
    this.closeTimeout = Limits.positive("closeTimeout", closeTimeout);
    return this;
  }

  /**
   * Sets the executor of checks; it stays the caller's. Default: a virtual thread each, from Java
   * 21 on; else a pool of {@link #concurrency} daemon threads.
   */
  public RemoteJanitorBuilder executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Declares this contract before the first poll, in place of the module's former one. Default: the
   * janitor is declared elsewhere, with {@link Janitors#declare} or a file of the server.
   *
   * @param terms a remote contract of this module
   */
  public RemoteJanitorBuilder declare(JanitorTerms terms) {
    if (!terms.remote() || !terms.module().equals(module)) {
      throw new IllegalArgumentException("the contract must be remote and of module " + module);
    }
    this.terms = terms;
    return this;
  }

  /**
   * Starts to poll. Call it once.
   *
   * @throws HapaxException as {@link Janitors#declare} does, if there is a contract to declare
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
