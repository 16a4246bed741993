package dev.hapax.domain.hook;

import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.AwaitedToken;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Starts a run that owns hook tokens from the beginning: all of them, or none. The policy of the
 * first token whose owner is not superseded decides the outcome. With {@link ConflictPolicy.Queue}
 * the run may have to wait for them first. The run whose idempotency key the start takes loses its
 * tokens whatever their policy.
 *
 * <p>The definition must have no limits: an owner that waits for one could wait for runs that wait
 * for its token.
 *
 * @param wanted the tokens, each at most once
 */
public record StartRunWithHooks(StartRun start, List<Wanted> wanted)
    implements Command<StartOutcome> {
  /** The largest number of tokens of one start. */
  public static final int MAX_HOOKS = 10;

  private static final int TOKEN_SIZE = 1024;

  /**
   * A token with its conflict policy.
   *
   * @param name by which the run refers to the token; empty = none
   */
  public record Wanted(HookId hook, String name, Duration retention, ConflictPolicy onConflict) {
    public Wanted {
      Text.name(name);
      Hook.requireRetention(retention);
    }

    Hook of(Optional<Hook> before, RunId run, Instant now) {
      return Hook.of(before, run, name, retention, now);
    }

    AwaitedToken awaited() {
      return new AwaitedToken(hook.hash(), name, retention);
    }
  }

  public StartRunWithHooks {
    wanted = List.copyOf(wanted);
    if (wanted.isEmpty() || wanted.stream().map(Wanted::hook).distinct().count() < wanted.size()) {
      throw new IllegalArgumentException("tokens must not be empty or contain duplicates");
    }
    if (!start.definition().limits().isEmpty()) {
      throw new IllegalArgumentException("a run of a limited definition starts without tokens");
    }
    if (start.signal().isEmpty() && signals(wanted)) {
      throw new IllegalArgumentException("a signal is required to signal an existing owner");
    }
    if (wanted.stream().map(StartRunWithHooks::queues).distinct().count() > 1) {
      throw new IllegalArgumentException("all tokens have the policy Queue, or none");
    }
  }

  private static boolean queues(Wanted token) {
    return token.onConflict() instanceof ConflictPolicy.Queue;
  }

  private static boolean signals(List<Wanted> wanted) {
    return wanted.stream()
        .anyMatch(token -> token.onConflict() instanceof ConflictPolicy.SignalExisting);
  }

  @Override
  public Workspace workspace() {
    return start.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    var lines =
        wanted.stream().filter(StartRunWithHooks::queues).map(Wanted::hook).map(LineId::new);
    return Stream.of(start.keys().stream(), wanted.stream().map(Wanted::hook), lines)
        .<RecordKey<?>>flatMap(keys -> keys)
        .distinct()
        .toList();
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return start.reads();
  }

  @Override
  public Collection<? extends RecordKey<?>> newKeys() {
    return start.newKeys();
  }

  /** Concurrent commands for one token go to the same batch. */
  @Override
  public HookId route() {
    return wanted.getFirst().hook();
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return start.size() + wanted.size() * TOKEN_SIZE;
  }

  @Override
  public StartOutcome decide(BatchRecords records, Instant now) {
    return start
        .bound(records, now)
        .or(() -> start.outdated(records))
        .orElseGet(
            () ->
                queues(wanted.getFirst())
                    ? QueuedStart.of(this, records, now).decide()
                    : compete(records, now));
  }

  private StartOutcome compete(BatchRecords records, Instant now) {
    var replaced = start.replaced(records, now);
    var taken = new LinkedHashMap<Wanted, Run>();
    for (var token : wanted) {
      var found = answering(token, replaced, records, now);
      if (found.isEmpty()) {
        continue;
      }
      var owner = found.get().owner();
      if (isReplaced(owner, replaced)
          || (token.onConflict() instanceof ConflictPolicy.Supersede policy
              && policy.allows(owner))) {
        taken.put(token, owner);
      } else {
        return resolveConflict(records, now, token, found.get().hook(), owner);
      }
    }
    return supersede(records, now, taken, replaced.map(Run::id));
  }

  /** Runs that wait behind the replaced run come before the new one, unless it supersedes. */
  private Optional<TokenOwner> answering(
      Wanted token, Optional<Run> replaced, BatchRecords records, Instant now) {
    var found = TokenOwner.orFirst(token.hook(), owner -> needed(token, owner), records, now);
    return found.filter(own -> isReplaced(own.owner(), replaced)).isEmpty()
            || token.onConflict() instanceof ConflictPolicy.Supersede
        ? found
        : TokenOwner.first(token.hook(), owner -> needed(token, owner), records).or(() -> found);
  }

  private static boolean isReplaced(Run owner, Optional<Run> replaced) {
    return replaced.map(Run::id).filter(owner.id()::equals).isPresent();
  }

  private List<RecordKey<?>> needed(Wanted token, RunId owner) {
    return token.onConflict() instanceof ConflictPolicy.SignalExisting
        ? List.of(owner, new SignalId(owner, start.signal().orElseThrow().id()))
        : List.of(owner);
  }

  private StartOutcome resolveConflict(
      BatchRecords records, Instant now, Wanted token, Hook own, Run owner) {
    return switch (token.onConflict()) {
      case ConflictPolicy.Reject(), ConflictPolicy.Supersede(_) -> new StartOutcome.Rejected(owner);
      case ConflictPolicy.UseExisting() -> {
        start.bindTo(records, now, owner);
        yield new StartOutcome.UsedExisting(owner);
      }
      case ConflictPolicy.SignalExisting() -> signal(records, now, token, own, owner);
      case ConflictPolicy.Queue _ -> throw new IllegalStateException("decided as QueuedStart");
    };
  }

  private StartOutcome signal(
      BatchRecords records, Instant now, Wanted token, Hook own, Run owner) {
    if (owner.hasEnded()) {
      return new StartOutcome.Rejected(owner);
    }
    var signal =
        start.signal().orElseThrow().through(own.source(token.hook()), owner.id(), start.actor());
    return switch (signal.decide(records, now)) {
      case SignalOutcome.Accepted(var run, var disposition) -> {
        start.bindTo(records, now, run);
        yield new StartOutcome.Signalled(run, disposition);
      }
      case SignalOutcome.Full full -> new StartOutcome.SignalRefused(owner, full);
      case SignalOutcome.NotFound _, SignalOutcome.RunEnded _ ->
          throw new IllegalStateException("the owner exists and has not ended");
    };
  }

  /**
   * A run that owned several of the tokens is cancelled once, and recorded with the first of them.
   */
  private StartOutcome supersede(
      BatchRecords records, Instant now, Map<Wanted, Run> taken, Optional<RunId> replaced) {
    var from = new LinkedHashMap<RunId, Wanted>();
    var left = new ArrayList<Run>();
    taken.forEach(
        (token, owner) -> {
          if (from.putIfAbsent(owner.id(), token) == null
              && replaced.filter(owner.id()::equals).isEmpty()) {
            left.add(owner.supersededBy(start.run(), now, start.actor()));
          }
        });
    left.forEach(ended -> records.put(ended.id(), ended));
    var named = new LinkedHashMap<Wanted, RunId>();
    from.forEach((owner, token) -> named.put(token, owner));
    var created = create(records, now, named);
    var restarted = replaced.flatMap(records::get);
    if (left.isEmpty()) {
      return StartOutcome.created(created, restarted);
    }
    restarted.ifPresent(left::add);
    return new StartOutcome.Superseded(created, left);
  }

  /** Creates the run with its tokens, which are free. */
  Run create(BatchRecords records, Instant now) {
    return create(records, now, Map.of());
  }

  private Run create(BatchRecords records, Instant now, Map<Wanted, RunId> from) {
    var lines = new ArrayList<UUID>();
    for (var token : wanted) {
      var hook = token.of(records.get(token.hook()), start.run(), now);
      lines.addAll(hook.line(token.hook()));
      records.put(token.hook(), hook);
    }
    return start.create(records, now, run -> owning(run, now, from).marked(lines), source());
  }

  /** The token through which the signal of the start arrives. */
  Optional<SourceHook> source() {
    var first = wanted.getFirst();
    return Optional.of(new SourceHook(first.hook().hash(), first.name()));
  }

  private Run owning(Run created, Instant now, Map<Wanted, RunId> from) {
    var run = created;
    for (var token : wanted) {
      run =
          run.withHook(
              token.hook().hash(),
              token.name(),
              token.retention(),
              Optional.ofNullable(from.get(token)),
              now,
              start.actor());
    }
    return run;
  }
}
