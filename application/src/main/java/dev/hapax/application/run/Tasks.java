package dev.hapax.application.run;

import dev.hapax.application.waiting.PollPace;
import dev.hapax.application.waiting.RecentRemoteActivity;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.FailTaskOutcome;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.PartsRefused;
import dev.hapax.domain.run.RecordParts;
import dev.hapax.domain.run.RecordPartsOutcome;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RecordStepOutcome;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.ReleaseTaskOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.SuspendTask;
import dev.hapax.domain.run.SuspendTaskOutcome;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The operations of workers: poll, renew, complete, fail, suspend and release tasks. */
public final class Tasks {
  private final Ledger ledger;
  private final RunReads reads;
  private final RunDispatcher dispatcher;
  private final WaiterQuota places;
  private final TaskDelivery delivery;
  private final TaskPollCalls polls;
  private final RecentWorkers workers;
  private final PollPace<Poller> pace = new PollPace<>();

  /** A worker with one set of queues, each of which has its own pace. */
  private record Poller(WorkerId worker, List<String> queues) {}

  Tasks(
      Ledger ledger,
      RunReads reads,
      InstantSource clock,
      RunDispatcher dispatcher,
      PolledQueues polledQueues,
      WaiterQuota places,
      RecentRemoteActivity remoteActivity,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.dispatcher = dispatcher;
    this.places = places;
    this.delivery = new TaskDelivery(ledger, new TaskReader(reads), dispatcher, timer);
    this.polls =
        new TaskPollCalls(
            ledger, reads, dispatcher, polledQueues, remoteActivity, delivery, random, timer);
    this.workers = new RecentWorkers(clock);
  }

  /** Polls with a wait that no deadline bounds. */
  public CompletableFuture<List<Task>> poll(PollRequest request, Duration wait) {
    return poll(request, PollPace.Wait.of(wait));
  }

  /**
   * Polls for tasks until there are any or the wait ends. Cancelling the future returns tasks that
   * are granted later.
   */
  public CompletableFuture<List<Task>> poll(PollRequest request, PollPace.Wait wait) {
    places.take(request.workspace());
    workers.polled(request);
    var granted =
        pace.poll(
            new Poller(new WorkerId(request.workspace(), request.worker()), request.queues()),
            wait,
            paced -> polls.poll(request, paced),
            tasks -> tasks.tasks().isEmpty());
    var answer = new CompletableFuture<List<Task>>();
    var _ =
        answer.whenComplete(
            (_, _) -> {
              places.free(request.workspace());
              granted.cancel(false);
            });
    var _ =
        granted.whenComplete(
            (tasks, failure) -> {
              if (failure != null) {
                answer.completeExceptionally(failure);
              } else {
                delivery.deliver(tasks, answer);
              }
            });
    return answer;
  }

  /** Returns a task that was not sent to its caller; at most once for each response. */
  public void returnUndelivered(Task task) {
    delivery.returnUndelivered(task.run());
  }

  /** Completes a task. Cancelling the future returns the next task; the completion remains. */
  public CompletableFuture<StepCompletion> complete(CompleteTask command) {
    var answer = new CompletableFuture<StepCompletion>();
    var _ =
        completed(command)
            .whenComplete(
                (outcome, failure) -> {
                  if (failure != null) {
                    answer.completeExceptionally(failure);
                  } else if (outcome instanceof CompleteTaskOutcome.Completed done
                      && done.next().isPresent()) {
                    delivery.deliver(outcome, done.next().get(), answer);
                  } else {
                    answer.complete(new StepCompletion(outcome, Optional.empty()));
                  }
                });
    return answer;
  }

  private CompletableFuture<CompleteTaskOutcome> completed(CompleteTask command) {
    return dispatcher
        .submit(command, Tasks::changed)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case TaskLost lost ->
                      done(
                          command.claim(),
                          lost,
                          event ->
                              event.change() instanceof RunChange.StepCompleted
                                  ? lost.run().map(CompleteTaskOutcome.Completed::before)
                                  : Optional.empty());
                  case CompleteTaskOutcome.Completed _,
                      CompleteTaskOutcome.NoSuchSignal _,
                      PartsRefused _,
                      CompleteTaskOutcome.StateTooLarge _ ->
                      CompletableFuture.completedFuture(outcome);
                });
  }

  private static Stream<Run> changed(CompleteTaskOutcome outcome) {
    return outcome instanceof CompleteTaskOutcome.Completed(var run, _, _)
        ? Stream.of(run)
        : Stream.empty();
  }

  public CompletableFuture<FailTaskOutcome> fail(FailTask command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case FailTaskOutcome.Failed(var run, _, _) -> dispatched(run, outcome);
                  case PartsRefused _ -> CompletableFuture.completedFuture(outcome);
                  case TaskLost lost ->
                      done(
                          command.claim(),
                          lost,
                          event ->
                              event.change() instanceof RunChange.StepFailed
                                      || event.change() instanceof RunChange.RetryScheduled
                                  ? lost.run()
                                      .map(
                                          run ->
                                              new FailTaskOutcome.Failed(
                                                  run, event.change().retryAt(), true))
                                  : Optional.empty());
                });
  }

  public CompletableFuture<SuspendTaskOutcome> suspend(SuspendTask command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case SuspendTaskOutcome.Suspended(var run, _) -> dispatched(run, outcome);
                  case TaskLost lost ->
                      done(
                          command.claim(),
                          lost,
                          event ->
                              event.change() instanceof RunChange.StepSuspended
                                  ? lost.run()
                                      .map(run -> new SuspendTaskOutcome.Suspended(run, true))
                                  : Optional.empty());
                  case SuspendTaskOutcome.StateTooLarge _, PartsRefused _ ->
                      CompletableFuture.completedFuture(outcome);
                });
  }

  public CompletableFuture<ReleaseTaskOutcome> release(ReleaseTask command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case ReleaseTaskOutcome.Released(var run, _) -> dispatched(run, outcome);
                  case TaskLost lost ->
                      done(
                          command.claim(),
                          lost,
                          event ->
                              event.change().isRelease()
                                  ? lost.run()
                                      .map(run -> new ReleaseTaskOutcome.Released(run, true))
                                  : Optional.empty());
                });
  }

  private <O> CompletableFuture<O> dispatched(Run run, O outcome) {
    dispatcher.onRunChanged(run);
    return CompletableFuture.completedFuture(outcome);
  }

  /** Finds out by the history whether a lost claim succeeded before. */
  private <O> CompletableFuture<O> done(
      TaskClaim claim, O lost, Function<RunEvent, Optional<? extends O>> ofEvent) {
    return reads.endedBy(claim).thenApply(event -> event.<O>flatMap(ofEvent).orElse(lost));
  }

  public CompletableFuture<HeartbeatOutcome> heartbeat(HeartbeatTask command) {
    return ledger
        .submit(command)
        .whenComplete(
            (outcome, _) -> {
              if (outcome instanceof HeartbeatOutcome.Renewed(var run, var remaining, _)) {
                run.held()
                    .ifPresent(
                        held -> dispatcher.onRunChanged(run, held.leaseUntil().minus(remaining)));
              }
            });
  }

  /** Reads the queue of a claim's task; empty = the claim is not of a task. */
  public CompletableFuture<Optional<String>> queueOf(TaskClaim claim) {
    return reads
        .find(claim.run())
        .thenApply(found -> found.flatMap(run -> run.queueOf(claim.step())));
  }

  /** Records the output of one part, or reads it. */
  public CompletableFuture<RecordStepOutcome> record(RecordStep command) {
    return ledger.submit(command);
  }

  /** Records what happened to parts. */
  public CompletableFuture<RecordPartsOutcome> record(RecordParts command) {
    return ledger.submit(command);
  }

  /** Lists the recorded parts of a task, from the first after a version. */
  public CompletableFuture<Records> records(TaskClaim claim, long after) {
    return reads
        .find(claim.run())
        .thenCompose(
            found ->
                found.filter(run -> run.isHeldBy(claim)).isEmpty()
                    ? CompletableFuture.completedFuture(
                        new Records.Lost(new TaskLost(claim, found)))
                    : reads
                        .recorded(claim.run(), claim.step(), after)
                        .thenApply(page -> new Records.Read(found.get(), page)));
  }

  /** The recorded parts of a task. */
  public sealed interface Records {
    /** A page of them; its next one begins after this version. */
    record Read(Run run, Page<RunReads.Recorded, Long> page) implements Records {}

    /** The claim does not hold the task. */
    record Lost(TaskLost lost) implements Records {}
  }

  /** Lists the polls that wait on this node. */
  public List<PollRequest> waiting() {
    return polls.waiting();
  }

  /** Lists the last poll of each worker on this node. */
  public List<WorkerPoll> lastPolls(Workspace workspace) {
    return workers.of(workspace);
  }

  /** Ends every poll with the tasks it has, also future polls. */
  public void stopWaiting() {
    polls.stopWaiting();
  }
}
