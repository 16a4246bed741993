package dev.hapax.application.run;

import dev.hapax.application.waiting.RecordPoll;
import dev.hapax.application.waiting.RecordPoll.Next;
import dev.hapax.application.waiting.RemoteChangeProbe;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.Page;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.limit.EnterStep;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.SignalRun;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Starts, reads, awaits and controls runs. */
public final class Runs {
  private static final int EVENTS_AT_ONCE = 500;

  private final RunReads reads;
  private final InstantSource clock;
  private final LongSupplier random;
  private final RunDispatcher dispatcher;
  private final PolledQueues polledQueues;
  private final Waiters<RunId> waiters;
  private final ScheduledExecutorService timer;

  Runs(
      Ledger ledger,
      RunReads reads,
      InstantSource clock,
      LongSupplier random,
      RunDispatcher dispatcher,
      PolledQueues polledQueues,
      WaiterQuota places,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.random = random;
    this.dispatcher = dispatcher;
    this.polledQueues = polledQueues;
    this.waiters = new Waiters<>(places);
    this.timer = timer;
    ledger.onChanges(waiters::written);
    ledger.onRemoteCommit(
        new RemoteChangeProbe<>(waiters, new RemoteRunChanges(reads)::changed, timer)::wakeChanged);
  }

  /** Generates an id for a new run. */
  public UUID draw() {
    return UuidVersion7.draw(clock.instant(), random);
  }

  /** Starts a run. */
  public CompletableFuture<StartOutcome> start(StartRun command) {
    return start(command, command);
  }

  /**
   * Starts a run.
   *
   * @param command that decides the start, such as one that gives the run tokens as well
   */
  public CompletableFuture<StartOutcome> start(StartRun start, Command<StartOutcome> command) {
    return start.definition().limits().isEmpty() && start.definition().step(0).limits().isEmpty()
        ? dispatcher.submit(command, Runs::changed)
        : dispatcher.enter(EnterStep.of(start, command, Runs::changed));
  }

  private static Stream<Run> changed(StartOutcome outcome) {
    return switch (outcome) {
      case StartOutcome.Created(var run) -> Stream.of(run);
      case StartOutcome.Restarted(var run, _) -> Stream.of(run);
      case StartOutcome.Signalled(var owner, _) -> Stream.of(owner);
      case StartOutcome.Superseded(var run, var from) ->
          Stream.concat(from.stream(), Stream.of(run));
      case StartOutcome.Queued(var run, _, var instead) ->
          Stream.concat(instead.stream(), Stream.of(run));
      case StartOutcome.Existing _,
          StartOutcome.KeyReused _,
          StartOutcome.Rejected _,
          StartOutcome.UsedExisting _,
          StartOutcome.SignalRefused _,
          StartOutcome.DefinitionOutdated _ ->
          Stream.empty();
    };
  }

  /**
   * Submits a command that may make a task ready.
   *
   * @param changed the runs that an outcome has changed
   */
  public <O> CompletableFuture<O> submit(Command<O> command, Function<O, Stream<Run>> changed) {
    return dispatcher.submit(command, changed);
  }

  /** Dispatches a run after a decision. */
  public void onRunChanged(Run run) {
    dispatcher.onRunChanged(run);
  }

  public CompletableFuture<SignalOutcome> signal(SignalRun command) {
    return dispatcher.submit(
        command,
        outcome ->
            outcome instanceof SignalOutcome.Accepted(var run, _)
                ? Stream.of(run)
                : Stream.empty());
  }

  public CompletableFuture<ControlOutcome> control(ControlRun command) {
    return dispatcher.submit(
        command,
        outcome ->
            outcome instanceof ControlOutcome.Applied(var run, _)
                ? Stream.of(run)
                : Stream.empty());
  }

  public CompletableFuture<Optional<Run>> find(RunId id) {
    return reads.find(id);
  }

  /** Returns whether this request has retried the run. */
  public CompletableFuture<Boolean> isReopened(RunId id, String requestId) {
    return reads.isReopened(id, requestId);
  }

  /** Finds the run that an idempotency key started. */
  public CompletableFuture<Optional<RunId>> keyed(RunKeyId key) {
    return reads.keyed(key);
  }

  public CompletableFuture<Page<Run, UUID>> list(RunReads.Query query) {
    return reads.list(query);
  }

  public CompletableFuture<Page<RunEvent, Long>> events(RunId id, long after, int size) {
    return reads.events(id, after, size);
  }

  /**
   * Returns the run once it has ended or passed a version, or its current state when the wait ends.
   *
   * @param after the version to pass; 0 = wait for the end of the run
   */
  public CompletableFuture<Optional<Run>> await(RunId id, long after, Duration wait) {
    return poll(id, after).start(wait);
  }

  /**
   * Starts a run, and returns it once it has ended, or its current state when the wait ends. Waits
   * from before the start, so that no read is needed to find an end that this server commits.
   *
   * @param start completes with the run; empty = it was not started, and there is no wait
   */
  public CompletableFuture<Optional<Run>> awaitFromStart(
      RunId id, Duration wait, Supplier<CompletableFuture<Optional<Run>>> start) {
    return poll(id, 0).start(wait, start);
  }

  private RecordPoll<RunId, Optional<Run>> poll(RunId id, long after) {
    return new RecordPoll<RunId, Optional<Run>>(
            id,
            waiters,
            timer,
            _ -> reads.find(id),
            found ->
                Next.answerIf(
                    found
                        .filter(run -> !run.hasEnded() && (after == 0 || run.version() <= after))
                        .isEmpty()))
        .withoutReading(
            new RecordPoll.Written<>(
                run -> Optional.ofNullable((Run) run),
                found -> found.map(Run::version).orElse(Long.MAX_VALUE)));
  }

  /**
   * Lists the steps in the order in which the run reached them, then the pending ones.
   *
   * @param from the position of the first step
   */
  public CompletableFuture<List<StepView>> steps(Run run, int from, int size) {
    var history = new StepHistory(run, from, size);
    return read(run.id(), 0, history).thenApply(_ -> history.page());
  }

  private CompletableFuture<Void> read(RunId id, long after, StepHistory into) {
    return reads
        .events(id, after, EVENTS_AT_ONCE)
        .thenCompose(
            page -> {
              page.items().forEach(into::add);
              return page.next()
                  .map(next -> read(id, next, into))
                  .orElseGet(() -> CompletableFuture.completedFuture(null));
            });
  }

  /** Explains why the run does not progress. */
  public CompletableFuture<Explanation> explain(Run run) {
    return steps(run, 0, Integer.MAX_VALUE)
        .thenApply(
            steps ->
                new RunExplainer(
                        run,
                        steps.stream()
                            .filter(s -> !s.named() && s.index() == run.position().step())
                            .findFirst(),
                        steps.stream()
                            .filter(s -> s.isOpenPart() && s.index() == run.position().step())
                            .toList(),
                        clock.instant(),
                        queue -> polledQueues.isPolled(run.id().workspace(), queue))
                    .explanation());
  }

  /** Whether {@link #stopWaiting} was called. */
  public boolean hasStoppedWaiting() {
    return waiters.isClosed();
  }

  /** Ends every wait with the current state. */
  public void stopWaiting() {
    waiters.close();
  }
}
