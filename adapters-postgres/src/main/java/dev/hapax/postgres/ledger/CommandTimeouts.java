package dev.hapax.postgres.ledger;

import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fails commands that take too long, so that no caller waits for a committer that hangs or for a
 * partition.
 */
final class CommandTimeouts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CommandTimeouts.class);
  private static final Duration PERIOD = Duration.ofMillis(200);

  private final Loop loop = new Loop("command-timeouts", PERIOD, System::nanoTime);
  private final Set<QueuedCommand<?>> open = ConcurrentHashMap.newKeySet();
  private final List<CommandQueue> queues;
  private final LongSupplier nanoTime;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("ledger-timeouts").factory());

  /** Confined to the thread. */
  private boolean failing;

  /**
   * Also removes timed-out commands from these queues.
   *
   * @param nanoTime the clock of the deadlines
   */
  CommandTimeouts(List<CommandQueue> queues, LongSupplier nanoTime) {
    this.queues = List.copyOf(queues);
    this.nanoTime = nanoTime;
    var _ =
        thread.scheduleWithFixedDelay(
            this::run, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Fails this command at its deadline, unless it is answered earlier. */
  void watch(QueuedCommand<?> pending) {
    open.add(pending);
    var _ = pending.future().whenComplete((_, _) -> open.remove(pending));
  }

  /** The number of open commands, roughly: answered ones are removed later. */
  int open() {
    return open.size();
  }

  Loop loop() {
    return loop;
  }

  private void run() {
    try {
      var now = nanoTime.getAsLong();
      open.stream().filter(pending -> pending.isTimedOut(now)).forEach(QueuedCommand::timeOut);
      queues.forEach(queue -> queue.removeFinished(now).forEach(QueuedCommand::timeOut));
      loop.ended(true);
      failing = false;
    } catch (RuntimeException | Error e) {
      // an exception out of a scheduled task would cancel it
      loop.ended(false);
      // five rounds a second with the same stack trace would fill the disk
      if (!failing) {
        failing = true;
        LOG.error("failing timed-out commands failed, will retry", e);
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
