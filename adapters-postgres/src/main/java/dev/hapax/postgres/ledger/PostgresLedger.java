package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * The ledger on PostgreSQL. Commands that arrive while a commit is under way form the next batch; a
 * batch is one transaction, decided in memory.
 */
public final class PostgresLedger implements Ledger, AutoCloseable {
  /** A batch takes longer only if a record is locked or the database is unreachable. */
  private static final Duration HANGS_AFTER = Duration.ofMillis(250);

  /** When callers send again what was not answered; the probe finds the end of an outage sooner. */
  public static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Settings settings;
  private final List<CommandQueue> queues = new ArrayList<>();
  private final List<Committer> committers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final ExecutorService answers =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("answers").factory());
  private final CommandTimeouts timeouts;
  private final CommitterChoice choice;
  private final CommitListeners commits;
  private final CommitNotifier signal;
  private final DatabaseFence fence;
  private final DatabaseOutage outage;
  private final RecordTables records;
  private final PendingIntents intents;

  /**
   * The limits of a ledger.
   *
   * @param committers transactions at once, while many commands wait; 2 keep a machine of few cores
   *     busy
   * @param batchCommands at most so many commands in a transaction
   * @param batchBytes at most so many bytes of commands in a transaction
   * @param queueCommands how many commands of one urgency may wait for one committer, those set
   *     aside included
   * @param queueBytes how many bytes of them
   * @param commandTimeout the timeout of a command, and how long a connection may be silent before
   *     it counts as lost
   */
  public record Settings(
      int committers,
      int batchCommands,
      long batchBytes,
      int queueCommands,
      long queueBytes,
      Duration commandTimeout) {
    public static final Settings DEFAULT =
        new Settings(2, 256, 4L << 20, 8_192, 16L << 20, Duration.ofSeconds(10));

    public Settings withCommitters(int number) {
      return new Settings(
          number, batchCommands, batchBytes, queueCommands, queueBytes, commandTimeout);
    }

    public Settings withBatchCommands(int number) {
      return new Settings(
          committers, number, batchBytes, queueCommands, queueBytes, commandTimeout);
    }

    public Settings withQueueCommands(int number) {
      return new Settings(
          committers, batchCommands, batchBytes, number, queueBytes, commandTimeout);
    }

    public Settings withCommandTimeout(Duration duration) {
      return new Settings(
          committers, batchCommands, batchBytes, queueCommands, queueBytes, duration);
    }
  }

  /**
   * Starts its committers.
   *
   * @param database connections made by {@link LedgerConnections}; one for each committer
   * @param signal notifies other nodes of commits, and this node of theirs
   * @param fence is checked in each transaction
   * @param outage knows whether the database answers
   * @param intents has those taken that commands find pending
   */
  public PostgresLedger(
      DataSource database,
      List<RecordTable<?, ?>> tables,
      CommitNotifier signal,
      DatabaseFence fence,
      DatabaseOutage outage,
      PendingIntents intents,
      Settings settings) {
    this.settings = settings;
    this.signal = signal;
    this.fence = fence;
    this.outage = outage;
    this.intents = intents;
    this.commits = new CommitListeners(signal);
    this.records = new RecordTables(tables);
    var limits =
        new CommandQueue.Limits(
            settings.queueCommands(),
            settings.queueBytes(),
            settings.batchCommands(),
            settings.batchBytes());
    var connections =
        new CommitterConnections(
            database, outage, Math.toIntExact(settings.commandTimeout().toMillis()));
    choice = new CommitterChoice(settings.committers(), settings.batchCommands());
    for (var i = 0; i < settings.committers(); i++) {
      var queue = new CommandQueue(limits);
      queues.add(queue);
      var lane = new AnswerLane(answers, choice::isOne);
      var committer = new Committer(connections, fence, records, queue, lane, commits, intents);
      committers.add(committer);
      threads.add(Thread.ofPlatform().name("committer-" + i).start(committer));
    }
    timeouts = new CommandTimeouts(queues, System::nanoTime);
  }

  @Override
  public <O> CompletableFuture<O> submit(Command<O> command) {
    var closed = outage();
    if (closed.isPresent()) {
      return CompletableFuture.failedFuture(closed.get());
    }
    try {
      var pending =
          new QueuedCommand<>(command, System.nanoTime() + settings.commandTimeout().toNanos());
      records.requireTable(pending.keys());
      enqueue(command, pending);
      timeouts.watch(pending);
      commits.submitted(command, pending.future());
      return pending.future();
    } catch (LedgerException e) {
      return CompletableFuture.failedFuture(e);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(
          new LedgerException.Defective("not to be queued: " + command.commandName(), e));
    }
  }

  /** Commands of a short outage wait, and are answered after it; those of a longer one fail. */
  @Override
  public Optional<LedgerException.Unavailable> outage() {
    return fence
        .refusal()
        .map(LedgerException.Unavailable::new)
        .or(
            () ->
                outage
                    .duration()
                    .filter(time -> time.compareTo(settings.commandTimeout()) >= 0)
                    .map(this::away));
  }

  private LedgerException.Unavailable away(Duration time) {
    return new LedgerException.Unavailable(
        String.format(
            Locale.ROOT, "%s has not answered for %d s", fence.database(), time.toSeconds()),
        RETRY_AFTER);
  }

  private void enqueue(Command<?> command, QueuedCommand<?> pending) {
    var chosen =
        choice.choose(
            command.route(), timeouts.open(), !committers.getFirst().isProgressing(HANGS_AFTER));
    try {
      queues.get(chosen).add(pending);
    } catch (LedgerException.Overloaded full) {
      var another = choice.chooseAnother(command.route());
      if (another == chosen) {
        throw full;
      }
      queues.get(another).add(pending);
    }
  }

  @Override
  public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
    commits.onChanges(listener);
  }

  /** Reports commands and batches to this observer from now on. */
  public void observe(LedgerObserver observer) {
    commits.observe(observer);
  }

  /** The number of commands that wait for a batch, the blocked ones included. */
  public int queued() {
    return queues.stream().mapToInt(CommandQueue::size).sum();
  }

  @Override
  public void onRemoteCommit(Runnable listener) {
    signal.onRemoteCommit(listener);
  }

  @Override
  public void onPendingIntent(Function<RecordKey<?>, CompletableFuture<?>> take) {
    intents.onPendingIntent(take);
  }

  /** The repeated work beside the committers. */
  public Loop loop() {
    return timeouts.loop();
  }

  /**
   * Whether each committer waits for commands, or has finished a batch within this time; if not, it
   * hangs.
   */
  public boolean isProgressing(Duration within) {
    return committers.stream().allMatch(committer -> committer.isProgressing(within));
  }

  /**
   * As long as for a committer. What is left is answered nevertheless, since no task is dropped.
   */
  private void stopAnswers() {
    answers.shutdown();
    try {
      var _ =
          answers.awaitTermination(
              settings.commandTimeout().multipliedBy(2).toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Rejects new commands, and waits until the accepted ones are answered. */
  @Override
  public void close() {
    queues.forEach(CommandQueue::close);
    for (var thread : threads) {
      try {
        thread.join(settings.commandTimeout().multipliedBy(2));
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    stopAnswers();
    timeouts.close();
  }
}
