package dev.hapax.application.run;

import dev.hapax.application.waiting.LongPoll;
import dev.hapax.application.waiting.LongPoll.Next;
import dev.hapax.application.waiting.RemoteChangeProbe;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.Page;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
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
import java.util.stream.Stream;

/** Starts runs, looks at them, waits for them and steers them. */
public final class Runs {
  private static final int EVENTS_AT_ONCE = 500;

  private final RunReads reads;
  private final InstantSource clock;
  private final LongSupplier random;
  private final RunDispatcher routes;
  private final PolledQueues dispatch;
  private final Waiters<RunId> waiters;
  private final ScheduledExecutorService timer;

  Runs(
      Ledger ledger,
      RunReads reads,
      InstantSource clock,
      LongSupplier random,
      RunDispatcher routes,
      PolledQueues dispatch,
      WaiterQuota places,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.random = random;
    this.routes = routes;
    this.dispatch = dispatch;
    this.waiters = new Waiters<>(places);
    this.timer = timer;
    ledger.onCommit(waiters::wake);
    ledger.onForeignCommit(
        new RemoteChangeProbe<>(waiters, new RemoteRunChanges(reads)::changed, timer)::look);
  }

  /** An id for a run to come. */
  public UUID draw() {
    return UuidVersion7.draw(clock.instant(), random);
  }

  public CompletableFuture<StartOutcome> start(StartRun command) {
    return start(command, command.run())
        .thenCompose(
            outcome ->
                outcome instanceof StartOutcome.KnowFirst(var earlier)
                    ? start(command.knowing(earlier))
                    : CompletableFuture.completedFuture(outcome));
  }

  /**
   * Decides on the start of a run.
   *
   * @param run the one that the command may create
   */
  public CompletableFuture<StartOutcome> start(Command<StartOutcome> command, RunId run) {
    return routes.submit(command, run, Runs::moved);
  }

  private static Stream<Run> moved(StartOutcome outcome) {
    return switch (outcome) {
      case StartOutcome.Created(var run) -> Stream.of(run);
      case StartOutcome.Signalled(var owner, _) -> Stream.of(owner);
      case StartOutcome.Superseded(var run, var from) ->
          Stream.concat(from.stream(), Stream.of(run));
      case StartOutcome.Existing _,
          StartOutcome.KeyReused _,
          StartOutcome.Rejected _,
          StartOutcome.UsedExisting _,
          StartOutcome.SignalRefused _,
          StartOutcome.KnowFirst _,
          StartOutcome.DefinitionOutdated _ ->
          Stream.empty();
    };
  }

  /**
   * Decides a command that may make a task ready.
   *
   * @param run the one that it may move; among its keys
   * @param moved the runs of an outcome, which go on from there
   */
  public <O> CompletableFuture<O> submit(
      Command<O> command, RunId run, Function<O, Stream<Run>> moved) {
    return routes.submit(command, run, moved);
  }

  /** Sends a run, as a decision left it, to where it goes on. */
  public void saw(Run run) {
    routes.saw(run);
  }

  public CompletableFuture<SignalOutcome> signal(SignalRun command) {
    return routes.submit(
        command,
        command.run(),
        outcome ->
            outcome instanceof SignalOutcome.Accepted(var run, _)
                ? Stream.of(run)
                : Stream.empty());
  }

  public CompletableFuture<ControlOutcome> steer(ControlRun command) {
    return routes.submit(
        command,
        command.run(),
        outcome ->
            outcome instanceof ControlOutcome.Applied(var run) ? Stream.of(run) : Stream.empty());
  }

  public CompletableFuture<Optional<Run>> find(RunId id) {
    return reads.find(id);
  }

  /** Whether this request has retried the run. */
  public CompletableFuture<Boolean> isRetried(RunId id, String requestId) {
    return reads.isRetried(id, requestId);
  }

  /** The run a key leads to. */
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
   * The run, when it has ended or is past a version; or as it is when the wait ends.
   *
   * @param after 0 = only when it has ended
   */
  public CompletableFuture<Optional<Run>> await(RunId id, long after, Duration wait) {
    return new LongPoll<>(
            id,
            waiters,
            timer,
            _ -> reads.find(id),
            found ->
                Next.answerIf(
                    found
                        .filter(run -> !run.hasEnded() && (after == 0 || run.version() <= after))
                        .isEmpty()))
        .start(wait);
  }

  /** The events behind a version, as soon as there are some; none when the wait ends. */
  public CompletableFuture<List<RunEvent>> watch(RunId id, long after, Duration wait) {
    return new LongPoll<>(
            id,
            waiters,
            timer,
            _ -> reads.events(id, after, EVENTS_AT_ONCE).thenApply(Page::items),
            events -> Next.answerIf(!events.isEmpty()))
        .start(wait);
  }

  /**
   * Steps in the order in which they were reached, then those that were not.
   *
   * @param from the place of the first to show
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

  /** Why the run does not move. */
  public CompletableFuture<Explanation> explain(Run run) {
    return steps(run, 0, Integer.MAX_VALUE)
        .thenApply(
            steps ->
                new RunExplainer(
                        run,
                        steps.stream()
                            .filter(s -> !s.named() && s.index() == run.position().step())
                            .findFirst(),
                        clock.instant(),
                        queue -> dispatch.isPolled(run.id().workspace(), queue))
                    .explanation());
  }

  /** Whether nobody is to wait any more. */
  public boolean hasStoppedWaiting() {
    return waiters.isClosed();
  }

  /** Ends every wait with what is read then. */
  public void stopWaiting() {
    waiters.close();
  }
}
