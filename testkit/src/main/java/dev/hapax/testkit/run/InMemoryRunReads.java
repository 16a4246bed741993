package dev.hapax.testkit.run;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKey;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.Signal;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads runs from the records of an in-memory ledger, where a run's news are all its events. */
public final class InMemoryRunReads implements RunReads {
  private final Supplier<Map<RecordKey<?>, Object>> records;
  private final InstantSource clock;

  public InMemoryRunReads(InMemoryLedger ledger, InstantSource clock) {
    this(ledger::records, clock);
  }

  /** Reads these records as they are at each call. */
  public InMemoryRunReads(Supplier<Map<RecordKey<?>, Object>> records, InstantSource clock) {
    this.records = records;
    this.clock = clock;
  }

  private Stream<Run> all() {
    return records.get().values().stream().filter(Run.class::isInstance).map(Run.class::cast);
  }

  private Stream<Run> all(Workspace workspace) {
    return all().filter(run -> run.id().workspace().equals(workspace));
  }

  private Optional<Run> run(RunId id) {
    return all().filter(run -> run.id().equals(id)).findFirst();
  }

  private Stream<RunEvent> history(RunId id) {
    return run(id).stream().flatMap(run -> run.newEvents().stream());
  }

  @Override
  public CompletableFuture<Optional<Run>> find(RunId id) {
    return completedFuture(run(id).map(InMemoryRunReads::withoutEvents));
  }

  private static Run withoutEvents(Run run) {
    return run.with(List.<RunEvent>of());
  }

  @Override
  public CompletableFuture<Optional<RunId>> keyed(RunKeyId key) {
    return completedFuture(Optional.ofNullable((RunKey) records.get().get(key)).map(RunKey::run));
  }

  @Override
  public CompletableFuture<Page<Run, UUID>> list(Query query) {
    var behind =
        all(query.workspace())
            .filter(query.filter()::matches)
            .sorted(Comparator.<Run, UUID>comparing(run -> run.id().uuid()).reversed())
            .filter(
                run ->
                    query.after().isEmpty() || run.id().uuid().compareTo(query.after().get()) < 0)
            .toList();
    var items = behind.stream().limit(query.size()).map(InMemoryRunReads::withoutEvents).toList();
    return completedFuture(
        new Page<>(
            items,
            items.size() < behind.size()
                ? Optional.of(items.getLast().id().uuid())
                : Optional.empty()));
  }

  @Override
  public CompletableFuture<Page<RunEvent, Long>> events(RunId id, long after, int size) {
    var behind = history(id).filter(event -> event.version() > after).toList();
    var items = behind.stream().limit(size).toList();
    return completedFuture(
        new Page<>(
            items,
            items.size() < behind.size()
                ? Optional.of(items.getLast().version())
                : Optional.empty()));
  }

  @Override
  public CompletableFuture<Optional<RunEvent>> endedBy(TaskClaim claim) {
    return completedFuture(
        history(claim.run())
            .filter(event -> event.actor().nonce() == claim.nonce() && event.step() == claim.step())
            .filter(event -> endsAttempt(event.change()))
            .findFirst());
  }

  private static boolean endsAttempt(RunChange change) {
    return change instanceof RunChange.StepCompleted
        || change instanceof RunChange.StepFailed
        || change instanceof RunChange.StepSuspended
        || change instanceof RunChange.RetryScheduled
        || change instanceof RunChange.LeaseGivenBack;
  }

  @Override
  public CompletableFuture<Boolean> isReopened(RunId id, String requestId) {
    return completedFuture(
        history(id)
            .anyMatch(
                event ->
                    switch (event.change()) {
                      case RunChange.Retried(var request, _) -> request.equals(requestId);
                      case RunChange.StepSettled(_, _, var request, _) -> request.equals(requestId);
                      default -> false;
                    }));
  }

  @Override
  public CompletableFuture<List<Received>> inbox(RunId id, int atMost) {
    return completedFuture(unconsumed(id).limit(atMost).toList());
  }

  @Override
  public CompletableFuture<Optional<Received>> wakingSignal(RunId id, int step) {
    var waking =
        history(id)
            .filter(event -> event.step() == step)
            .filter(event -> event.change() instanceof RunChange.StepResumed)
            .map(event -> ((RunChange.StepResumed) event.change()).signalId())
            .reduce((_, later) -> later)
            .flatMap(signalId -> signalId);
    return completedFuture(
        unconsumed(id).filter(signal -> waking.equals(Optional.of(signal.signalId()))).findFirst());
  }

  @Override
  public CompletableFuture<Optional<Received>> firstOf(RunId id, SignalFilter filter) {
    return completedFuture(
        unconsumed(id).filter(s -> filter.matches(s.type(), s.hook())).findFirst());
  }

  @Override
  public CompletableFuture<List<SignalOutput>> signalOutputs(RunId id, List<Integer> steps) {
    return completedFuture(
        history(id)
            .filter(event -> steps.contains(event.step()))
            .filter(event -> event.change() instanceof RunChange.StepCompleted)
            .map(
                event ->
                    new SignalOutput(
                        event.step(), ((RunChange.StepCompleted) event.change()).output()))
            .toList());
  }

  private Stream<Received> unconsumed(RunId id) {
    return history(id)
        .filter(event -> event.change() instanceof RunChange.SignalReceived)
        .map(event -> received(event, (RunChange.SignalReceived) event.change()))
        .filter(
            signal ->
                records.get().get(new SignalId(id, signal.signalId())) instanceof Signal kept
                    && !kept.consumed());
  }

  private static Received received(RunEvent event, RunChange.SignalReceived signal) {
    return new Received(
        signal.signalId(), signal.type(), signal.hook(), signal.payload(), event.at());
  }

  @Override
  public CompletableFuture<Parts> parts(RunId id, int step) {
    var open =
        ofStep(id, step)
            .flatMap(
                entry ->
                    entry.getValue() instanceof Part.Open part
                        ? Stream.of(new OpenPart(((PartId) entry.getKey()).name(), part))
                        : Stream.empty())
            .sorted(Comparator.comparingLong(part -> part.part().version()))
            .limit(Parts.MAX_OPEN)
            .toList();
    return recorded(id, step, 0).thenApply(recorded -> new Parts(recorded, open));
  }

  private Stream<Map.Entry<RecordKey<?>, Object>> ofStep(RunId id, int step) {
    return records.get().entrySet().stream()
        .filter(
            entry ->
                entry.getKey() instanceof PartId(var run, var index, _)
                    && run.equals(id)
                    && index == step);
  }

  @Override
  public CompletableFuture<Page<Recorded, Long>> recorded(RunId id, int step, long after) {
    var all =
        ofStep(id, step)
            .flatMap(
                entry ->
                    entry.getValue() instanceof Part.Completed done
                        ? Stream.of(
                            new Recorded(
                                ((PartId) entry.getKey()).name(),
                                done.version(),
                                done.output(),
                                done.traits()))
                        : Stream.empty())
            .filter(recorded -> recorded.version() > after)
            .sorted(Comparator.comparingLong(Recorded::version))
            .toList();
    var page = all.stream().limit(Recorded.MAX_LISTED).toList();
    return completedFuture(
        new Page<>(
            page,
            all.size() > page.size() ? Optional.of(page.getLast().version()) : Optional.empty()));
  }

  @Override
  public CompletableFuture<List<RunId>> ready(
      Workspace workspace, String queue, Optional<Duration> back, int atMost) {
    var now = clock.instant();
    return completedFuture(
        all(workspace)
            .filter(run -> run.queue().equals(Optional.of(queue)))
            .filter(run -> !now.isBefore(run.due().orElseThrow()))
            .filter(run -> isWithin(run.due().orElseThrow(), now, back))
            .sorted(Comparator.comparing(run -> run.due().orElseThrow()))
            .limit(atMost)
            .map(Run::id)
            .toList());
  }

  @Override
  public CompletableFuture<Set<Queue>> ready(Set<Queue> queues, Optional<Duration> back) {
    var ready = new HashSet<Queue>();
    for (var queue : queues) {
      if (!ready(queue.workspace(), queue.name(), back, 1).join().isEmpty()) {
        ready.add(queue);
      }
    }
    return completedFuture(ready);
  }

  @Override
  public CompletableFuture<List<Due>> due(Duration ahead, Optional<Duration> back, int atMost) {
    var now = clock.instant();
    return completedFuture(
        all()
            .flatMap(
                run ->
                    Stream.of(run.due().filter(_ -> run.queue().isEmpty()), run.deadline())
                        .flatMap(Optional::stream)
                        .filter(at -> isWithin(at, now, back))
                        .min(Comparator.naturalOrder())
                        .map(at -> new Due(run.id(), Duration.between(now, at)))
                        .stream())
            .filter(due -> due.in().compareTo(ahead) < 0)
            .sorted(Comparator.comparing(Due::in))
            .limit(atMost)
            .toList());
  }

  @Override
  public CompletableFuture<List<RunId>> polled(Workspace workspace, UUID poll) {
    return completedFuture(
        all(workspace)
            .filter(
                run ->
                    run.held()
                        .filter(held -> held.grant().poll().equals(Optional.of(poll)))
                        .isPresent())
            .map(Run::id)
            .toList());
  }

  @Override
  public CompletableFuture<Map<RunId, Long>> versions(Set<RunId> ids) {
    return completedFuture(
        all()
            .filter(run -> ids.contains(run.id()))
            .collect(Collectors.toMap(Run::id, Run::version)));
  }

  private static boolean isWithin(Instant due, Instant now, Optional<Duration> back) {
    return back.filter(most -> !due.isAfter(now.minus(most))).isEmpty();
  }
}
