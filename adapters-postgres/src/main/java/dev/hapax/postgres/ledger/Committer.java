package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.BatchTransaction.Decided;
import dev.hapax.postgres.ledger.BatchTransaction.Result;
import dev.hapax.postgres.ledger.BlockedCommands.Group;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that takes the commands queued while it was busy and commits them in one transaction.
 */
final class Committer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
  private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long RECONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The lock timeout while the command is searched that blocks or breaks a batch. */
  private static final int ISOLATE_LOCK_MILLIS = 50;

  /** The lock timeout while commands are set aside: their blocker may hold other records, too. */
  private static final int CAUTIOUS_LOCK_MILLIS = 100;

  /** How long to search for blocked commands of a batch; then the rest is set aside. */
  private static final long ISOLATE_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

  /** After so many conflicts a batch is halved, so that its parts succeed; one command waits. */
  private static final int MAX_ATTEMPTS = 20;

  private final CommandQueue queue;
  private final AnswerLane answers;
  private final CommitListeners commits;
  private final PendingIntents intents;
  private final BatchAttempts attempts;
  private final BlockedCommands blockedCommands;
  private long isolateUntilNanos;
  private int halvings;
  private final CommitHealth health = new CommitHealth();
  private volatile boolean idle = true;
  private volatile long roundStartNanos = System.nanoTime();

  Committer(
      CommitterConnections connections,
      DatabaseFence fence,
      RecordTables tables,
      CommandQueue queue,
      AnswerLane answers,
      CommitListeners commits,
      PendingIntents intents) {
    this.queue = queue;
    this.answers = answers;
    this.commits = commits;
    this.intents = intents;
    this.attempts = new BatchAttempts(connections, fence, tables, queue, this::answerAll);
    this.blockedCommands = new BlockedCommands(queue, System::nanoTime);
  }

  @Override
  public void run() {
    try {
      while (!queue.isClosedAndEmpty()) {
        round();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void round() throws InterruptedException {
    try {
      idle = true;
      var commands = queue.take(idleNanos());
      roundStartNanos = System.nanoTime();
      idle = false;
      halvings = 0;
      if (commands.isEmpty() && health.isFailing()) {
        probe();
      }
      runGuarded(commands, () -> executeUnblocked(commands));
      blockedCommands.removeFinished(System.nanoTime()).forEach(QueuedCommand::timeOut);
      blockedCommands
          .next()
          .ifPresent(group -> runGuarded(group.commands(), () -> retryBlocked(group)));
      blockedCommands.done();
    } catch (RuntimeException | Error e) {
      // the thread must continue: its commands would never be answered
      idle = false;
      LOG.error("unexpected error in a committer", e);
      LockSupport.parkNanos(RECONNECT_PAUSE_NANOS);
    }
  }

  private long idleNanos() {
    var nanos = blockedCommands.isEmpty() ? IDLE_NANOS : blockedCommands.nanosToNextRetry();
    return health.isFailing() ? Math.min(nanos, PROBE_NANOS) : nanos;
  }

  /** Commits a row, since a server that is not ready gets no calls that would show a recovery. */
  private void probe() {
    try {
      attempts.probe();
      health.committed();
    } catch (SQLException e) {
      LOG.debug("the database does not take commits yet: {}", e.getMessage());
    }
  }

  /**
   * Whether the database takes commits, and it waits for commands or has taken some within this
   * time. Thread-safe.
   */
  boolean isProgressing(Duration within) {
    return !health.isFailingFor(within)
        && (idle || System.nanoTime() - roundStartNanos < within.toNanos());
  }

  /** Fails these commands after a defect of the ledger, so that others are still served. */
  private static void runGuarded(List<QueuedCommand<?>> commands, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      LOG.error("a batch failed", e);
      commands.forEach(CommitResolver::unknown);
    }
  }

  private void executeUnblocked(List<QueuedCommand<?>> commands) {
    var free = blockedCommands.keepBlocked(commands);
    execute(free, blockedCommands.isEmpty() ? 0 : CAUTIOUS_LOCK_MILLIS, this::isolate);
  }

  private void retryBlocked(Group group) {
    execute(
        group.commands(), group.lockMillis(), blocked -> blockedCommands.addAgain(group, blocked));
  }

  /**
   * Retries until each command is answered, queued again or set aside.
   *
   * @param lockMillis how long to wait for a record that another transaction holds; 0 = as the
   *     connection
   */
  private void execute(
      List<QueuedCommand<?>> commands,
      int lockMillis,
      Consumer<List<QueuedCommand<?>>> whenBlocked) {
    var left = commands;
    var conflicts = 0;
    for (var isRepeated = false; ; isRepeated = true) {
      left = withoutFinished(left);
      if (left.isEmpty()) {
        return;
      }
      switch (attempts.run(left, lockMillis, isRepeated)) {
        case Result.Committed(var decided) -> {
          answer(decided);
          return;
        }
        case Result.InDoubt(var batch, var decided, _) -> {
          resolveLater(batch, decided);
          return;
        }
        case Result.Retry _ -> {
          if (++conflicts >= MAX_ATTEMPTS) {
            if (left.size() > 1) {
              halve(left);
            } else {
              whenBlocked.accept(left);
            }
            return;
          }
        }
        case Result.Unreachable(var cause) -> pause(cause);
        case Result.Postpone(var writes) -> left = postpone(left, writes);
        case Result.Blocked _ -> {
          whenBlocked.accept(left);
          return;
        }
        case Result.Refused(var reason) -> {
          left.forEach(pending -> pending.fail(new LedgerException.Unavailable(reason)));
          return;
        }
        case Result.Moved(var workspaces) -> left = withoutMoved(left, workspaces);
        case Result.Failed(var cause) -> {
          if (left.size() == 1) {
            left.getFirst().fail(new LedgerException.Defective("a statement failed", cause));
          } else {
            halve(left);
          }
          return;
        }
      }
    }
  }

  /** Holds the commands that touch one of these records; returns the others. */
  private List<QueuedCommand<?>> postpone(List<QueuedCommand<?>> commands, PostponedBatch writes) {
    var touching =
        commands.stream()
            .collect(
                Collectors.partitioningBy(
                    pending -> !Collections.disjoint(pending.keys(), writes.keys())));
    queue.park(touching.getOrDefault(true, List.of()), writes.until());
    return touching.getOrDefault(false, List.of());
  }

  /** Fails the commands of workspaces that are in another cell; returns the others. */
  private static List<QueuedCommand<?>> withoutMoved(
      List<QueuedCommand<?>> commands, Set<String> workspaces) {
    var left = new ArrayList<QueuedCommand<?>>(commands.size());
    for (var pending : commands) {
      pending.keys().stream()
          .map(key -> key.workspace().name())
          .filter(workspaces::contains)
          .findAny()
          .ifPresentOrElse(
              moved -> pending.fail(new LedgerException.Moved(moved)), () -> left.add(pending));
    }
    return left;
  }

  private void answer(Decided decided) {
    health.committed();
    if (decided.decided().isEmpty() && decided.widened().isEmpty() && decided.pending().isEmpty()) {
      splitTooLarge(decided.deferred());
      return;
    }
    if (!blockedCommands.isEmpty()) {
      blockedCommands.clear(decided.decided());
    }
    takeAgain(decided);
    var nanos = System.nanoTime() - decided.begunNanos();
    answers.answer(
        decided.decided().size(),
        () -> runGuarded(decided.decided(), () -> answerAll(decided, nanos)));
  }

  /** Puts undecided commands at the head of the queue, or lets them wait for pending intents. */
  private void takeAgain(Decided decided) {
    queue.addFirst(decided.deferred());
    queue.addFirst(decided.widened());
    intents.takeThen(decided.pending(), queue);
  }

  private void answerAll(Decided decided) {
    answerAll(decided, System.nanoTime() - decided.begunNanos());
  }

  private void answerAll(Decided decided, long nanos) {
    decided.decided().forEach(QueuedCommand::answer);
    commits.committed(decided, nanos);
  }

  /** Splits a batch of which no command's records fit; a single command fails. */
  private void splitTooLarge(List<QueuedCommand<?>> tooLarge) {
    if (tooLarge.size() > 1) {
      halve(tooLarge);
    } else {
      var cause = new IllegalStateException("its records do not fit into one batch");
      tooLarge.getFirst().fail(new LedgerException.Defective("too large", cause));
    }
  }

  private void isolate(List<QueuedCommand<?>> blocked) {
    if (blocked.size() == 1 || (halvings > 0 && System.nanoTime() - isolateUntilNanos >= 0)) {
      blockedCommands.add(blocked);
    } else {
      halve(blocked);
    }
  }

  /** Halves a batch that fails, until the command is found that makes it fail. */
  private void halve(List<QueuedCommand<?>> commands) {
    if (halvings++ == 0) {
      isolateUntilNanos = System.nanoTime() + ISOLATE_NANOS;
    }
    var middle = commands.size() / 2;
    executePart(commands.subList(0, middle));
    executePart(commands.subList(middle, commands.size()));
    halvings--;
  }

  private void executePart(List<QueuedCommand<?>> part) {
    execute(blockedCommands.keepBlocked(part), ISOLATE_LOCK_MILLIS, this::isolate);
  }

  private void resolveLater(long batch, Decided decided) {
    takeAgain(decided);
    attempts.resolveLater(batch, decided);
  }

  private void pause(SQLException cause) {
    health.failed(cause);
    var now = System.nanoTime();
    queue.removeFinished(now).forEach(QueuedCommand::timeOut);
    blockedCommands.removeFinished(now).forEach(QueuedCommand::timeOut);
    LockSupport.parkNanos(RECONNECT_PAUSE_NANOS);
  }

  private static List<QueuedCommand<?>> withoutFinished(List<QueuedCommand<?>> commands) {
    var now = System.nanoTime();
    var inTime = new ArrayList<QueuedCommand<?>>(commands.size());
    for (var pending : commands) {
      if (pending.isOver(now)) {
        pending.timeOut();
      } else {
        inTime.add(pending);
      }
    }
    return inTime;
  }
}
