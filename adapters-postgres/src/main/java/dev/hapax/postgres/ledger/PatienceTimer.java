package dev.hapax.postgres.ledger;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers commands that take too long, wherever they are: a committer that hangs, or a command that
 * waits for a partition, must not keep a caller waiting.
 */
final class PatienceTimer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PatienceTimer.class);
  private static final Duration PERIOD = Duration.ofMillis(200);

  private final Set<QueuedCommand<?>> open = ConcurrentHashMap.newKeySet();
  private final List<CommandQueue> queues;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("ledger-patience").factory());

  /** Also removes from these queues what is over. */
  PatienceTimer(List<CommandQueue> queues) {
    this.queues = List.copyOf(queues);
    var _ =
        thread.scheduleWithFixedDelay(
            this::run, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Answers this command when its time is over, unless it is answered before. */
  void watch(QueuedCommand<?> pending) {
    open.add(pending);
    var _ = pending.future().whenComplete((_, _) -> open.remove(pending));
  }

  /** How many commands are watched: those that are not answered yet, within a few. */
  int open() {
    return open.size();
  }

  private void run() {
    try {
      var now = System.nanoTime();
      open.stream().filter(pending -> pending.isLate(now)).forEach(QueuedCommand::giveUp);
      queues.forEach(queue -> queue.removeLate(now).forEach(QueuedCommand::giveUp));
    } catch (RuntimeException | Error e) {
      // what is thrown out of a scheduled task would end it for good
      LOG.error("late commands could not be given up", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
