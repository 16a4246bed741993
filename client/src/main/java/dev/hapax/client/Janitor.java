package dev.hapax.client;

import dev.hapax.client.Calls.Budget;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A janitor in the process of its module. It polls for entities whose holder's lease expired, finds
 * out for each whether the action took effect, and records the verdict. Any number of processes may
 * run one for the same module; each recovery goes to one of them.
 *
 * <pre>{@code
 * Janitor janitor =
 *     hapax.janitor("payments")
 *         .declare(JanitorTerms.remote("payments").allClaimStates())
 *         .start(recovery -> isWritten(recovery.lostFence()) ? COMPLETE : REVERT);
 * }</pre>
 *
 * <p>While Hapax is unreachable it retries, with growing pauses of 100 ms to 2 s.
 */
public final class Janitor implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Janitor.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final Connection connection;
  private final String module;
  private final String workerId;
  private final Duration lease;
  private final Check check;
  private final Polling polling;
  private volatile boolean isAbandoned;

  /** Finds out in the module's own tables whether an action took effect. */
  @FunctionalInterface
  public interface Check {

    /**
     * Checks an entity. First it must stop the former holder, which may only be slow, from writing:
     * it raises the fence in its own table to {@link Recovery#fence}. In the same transaction it
     * then searches for data with {@link Recovery#lostFence}.
     *
     * <p>It may be called again for the same entity, here or elsewhere, with a higher fence.
     *
     * @throws Exception if it cannot decide: the recovery is handed out again when its lease
     *     expires
     */
    Verdict check(Recovery recovery) throws Exception;
  }

  private Janitor(Builder settings, Check check) {
    this.connection = settings.connection;
    this.module = settings.module;
    this.workerId = settings.workerId;
    this.lease = settings.lease;
    this.check = check;
    this.polling =
        new Polling(
            connection.calls().timing(),
            "PollRecoveries",
            settings.concurrency,
            connection.executor(),
            this::fetch);
  }

  private List<Polling.Item> fetch(Polling.Poll poll) {
    return connection
        .calls()
        .send(
            PollRecoveriesRequest.newBuilder()
                .setWorkspace(connection.workspace())
                .setModule(module)
                .setWorkerId(workerId)
                .setAttemptId(poll.attemptId())
                .setMaxRecoveries(poll.room())
                .setLease(ProtoTimes.toProto(lease))
                .setWait(ProtoTimes.toProto(poll.held()))
                .build(),
            PollRecoveriesResponse.getDefaultInstance(),
            poll.budget())
        .message()
        .getRecoveriesList()
        .stream()
        .<Polling.Item>map(message -> () -> recover(new Recovery(message)))
        .toList();
  }

  private void recover(Recovery recovery) {
    String name = "recovery of " + recovery.entity().lifecycle() + " " + recovery.entity().id();
    Verdict verdict;
    try {
      verdict = Objects.requireNonNull(check.check(recovery), "the recovery check returned null");
    } catch (Throwable thrown) {
      log.error(
          "{}: recovery check failed; it will be handed out again when its lease expires",
          name,
          thrown);
      return;
    }
    if (!isAbandoned) {
      record(recovery, verdict, name);
    }
  }

  private void record(Recovery recovery, Verdict verdict, String name) {
    CompleteRecoveryRequest request =
        CompleteRecoveryRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(recovery.message().getClaim())
            .setOutcome(verdict.message())
            .setActor(workerId)
            .build();
    try {
      CompleteRecoveryResponse response =
          connection
              .calls()
              .send(
                  request,
                  CompleteRecoveryResponse.getDefaultInstance(),
                  Budget.record(connection.recordTimeout(), () -> false))
              .message();
      if (response.hasClaimLost()) {
        log.warn("{} was lost: {}", name, Claim.name(response.getClaimLost().getReason()));
      } else {
        log.info("{} ended: {}", name, verdict);
      }
    } catch (HapaxException unanswered) {
      log.error("the end of {} may not be recorded: no response from Hapax", name, unanswered);
    }
  }

  /**
   * Polls no more, and waits for the checks. Those that have not ended in time are abandoned: their
   * verdicts are dropped, and the recoveries are handed out again when their leases expire.
   *
   * @return false = some were abandoned, also because this thread was interrupted, which keeps its
   *     flag
   */
  public boolean drain(Duration atMost) {
    boolean hasEnded = polling.drain(atMost);
    if (!hasEnded) {
      isAbandoned = true;
    }
    return hasEnded;
  }

  /** Waits until the janitor is stopped by another thread. */
  public void awaitStopped() throws InterruptedException {
    polling.awaitEnd();
  }

  /** As {@link #drain}, for at most 30 s. */
  @Override
  public void close() {
    var unused = drain(CLOSE_TIMEOUT);
  }

  /** The settings of a janitor. */
  public static final class Builder {
    private final Connection connection;
    private final String module;
    private final String workerId =
        "janitor-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    private int concurrency = 8;
    private Duration lease = Duration.ofSeconds(60);
    private @Nullable JanitorTerms terms;

    Builder(Connection connection, String module) {
      this.connection = connection;
      this.module = KeyText.required("module", module);
    }

    /**
     * Declares this contract before the first poll, in place of the module's former one. Default:
     * the janitor is declared elsewhere, with {@link Lifecycles#declare} or a file of the server.
     *
     * @param terms a remote contract of this module
     */
    public Builder declare(JanitorTerms terms) {
      if (terms.message().getMode() != JanitorMode.JANITOR_MODE_REMOTE
          || !terms.message().getModule().equals(module)) {
        throw new IllegalArgumentException("the contract must be remote and of module " + module);
      }
      this.terms = terms;
      return this;
    }

    /** How many recoveries to check at once; 1 to 500. Default 8. */
    public Builder concurrency(int concurrency) {
      this.concurrency = Ranges.within("concurrency", concurrency, 1, 500);
      return this;
    }

    /**
     * How long a check may take before another process gets the recovery; 100 ms to 24 h. It is not
     * renewed. Default 60 s.
     */
    public Builder lease(Duration lease) {
      this.lease = Ranges.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
      return this;
    }

    /**
     * Starts to poll, with threads of {@link Hapax.Builder#executor} for the checks.
     *
     * @throws HapaxException as {@link Lifecycles#declare} does, if there is a contract to declare
     */
    public Janitor start(Check check) {
      Objects.requireNonNull(check, "check");
      JanitorTerms declared = terms;
      if (declared != null) {
        var unused = new Lifecycles(connection.actor(workerId)).declare(declared);
      }
      Janitor janitor = new Janitor(this, check);
      janitor.polling.start(() -> true);
      return janitor;
    }
  }
}
