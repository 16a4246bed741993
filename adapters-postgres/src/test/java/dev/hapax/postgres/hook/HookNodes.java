package dev.hapax.postgres.hook;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.DisposeHook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Nodes on one database, and callers who send again what has to know a run first. */
final class HookNodes implements AutoCloseable {
  static final Definition DEFINITION =
      RunSamples.definition(new DefinitionId(RunSamples.WORKSPACE, "hooked", "1"), RunSamples.NOW);
  static final Actor BY = Actor.caller("");
  static final ConflictPolicy REJECT = new ConflictPolicy.Reject();
  static final ConflictPolicy TAKE = new ConflictPolicy.Supersede(Optional.empty());

  final RunNodes nodes;
  private final int number;
  private final AtomicLong drawn = new AtomicLong();

  HookNodes(int number) {
    this.number = number;
    nodes = new RunNodes(number);
    nodes.run(RunNodes.write(DEFINITION.id(), DEFINITION));
  }

  /** On one of the nodes, each in its turn. */
  <O> CompletableFuture<O> submit(Command<O> command) {
    return submit((int) (drawn.getAndIncrement() % number), command);
  }

  <O> CompletableFuture<O> submit(int node, Command<O> command) {
    return nodes.ledger(node).submit(command);
  }

  <O> O run(Command<O> command) {
    return await(submit(command));
  }

  static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  static <O> List<O> awaitAll(Stream<CompletableFuture<O>> futures) {
    return futures.toList().stream().map(HookNodes::await).toList();
  }

  static HookId token(String token) {
    return HookId.of(RunSamples.WORKSPACE, token);
  }

  static StartRunWithHooks start(HookId token, ConflictPolicy policy) {
    return start(token, Duration.ZERO, policy, Optional.empty(), Map.of());
  }

  static StartRunWithHooks start(HookId token, ConflictPolicy policy, String signal) {
    return start(token, Duration.ZERO, policy, Optional.of(signal(signal)), Map.of());
  }

  static StartRunWithHooks start(
      HookId token,
      Duration retention,
      ConflictPolicy policy,
      Optional<NewSignal> signal,
      Map<String, String> labels) {
    return new StartRunWithHooks(
        new StartRun(
            RunSamples.newRun(),
            DEFINITION,
            new Payload.Json("1"),
            labels,
            Optional.empty(),
            Optional.empty(),
            signal,
            BY),
        List.of(new StartRunWithHooks.Wanted(token, "", retention, policy)));
  }

  static NewSignal signal(String id) {
    return new NewSignal(id, "", Optional.of(new Payload.Json("\"%s\"".formatted(id))));
  }

  /** A run that owns the token, which must be free. */
  RunId owner(HookId token) {
    return created(run(start(token, REJECT)));
  }

  static RunId created(StartOutcome outcome) {
    if (outcome instanceof StartOutcome.Created(var run)) {
      return run.id();
    }
    throw new AssertionError("not created: " + outcome);
  }

  static SignalHook signalHook(HookId token, String signal) {
    return new SignalHook(token, signal(signal), Optional.empty(), BY);
  }

  static DisposeHook dispose(HookId token) {
    return new DisposeHook(token, Optional.empty(), "", BY);
  }

  static ControlRun cancel(RunId run) {
    return new ControlRun(run, ControlRun.Verb.CANCEL, "", OptionalLong.empty(), BY);
  }

  TaskClaim take(RunId run) {
    run(
        new ClaimTask(
            run, "q", "worker", Optional.empty(), drawn.incrementAndGet(), PrincipalName.NONE));
    return run(RunNodes.read(run)).claim().orElseThrow();
  }

  static CompleteTask complete(TaskClaim claim) {
    return new CompleteTask(
        claim,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        false,
        OptionalLong.empty(),
        PrincipalName.NONE);
  }

  static FailTask fail(TaskClaim claim) {
    var failure = new Failure("DECLINED", "no", Optional.empty());
    return new FailTask(claim, failure, true, Optional.empty(), 0.5, PrincipalName.NONE);
  }

  Run find(RunId run) {
    return run(RunNodes.read(run));
  }

  List<RunEvent> history(RunId run) {
    return await(nodes.runs().events(run, 0, 500)).items();
  }

  Optional<RunId> owner(HookId token, boolean ended) {
    return await(nodes.hooks().find(token))
        .flatMap(HookReads.Found::owner)
        .filter(owner -> owner.hasEnded() == ended)
        .map(Run::id);
  }

  @Override
  public void close() {
    nodes.close();
  }
}
