package dev.hapax.postgres.hook;

import dev.hapax.domain.Page;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.Line.Place;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.run.RunHistoryReads;
import dev.hapax.postgres.run.RunLoader;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads tokens together with their runs, which decide whether they own them or wait for them. */
public final class PostgresHookReads implements HookReads {
  private final ReadExecutor reads;
  private final WideReads wide;
  private final RunLoader runs;

  public PostgresHookReads(ReadExecutor reads, WideReads wide, DefinitionCache definitions) {
    this.reads = reads;
    this.wide = wide;
    this.runs = new RunLoader(definitions);
  }

  @Override
  public CompletableFuture<Optional<Found>> find(HookId id) {
    return reads.submitInSnapshot(id.workspace(), (session, now) -> find(session, id, now));
  }

  private Optional<Found> find(ReadSession session, HookId id, Instant now) throws SQLException {
    var hooks = new Loaded<HookId, Hook>(new ArrayList<>(1));
    var pipeline = session.pipeline();
    HookTable.FIND.add(pipeline, List.of(id), hooks);
    pipeline.run();
    if (hooks.records().isEmpty()) {
      return Optional.empty();
    }
    var hook = hooks.records().getFirst();
    var owner =
        runs.find(session, List.of(hook.run())).runs().stream()
            .filter(run -> hook.isOwnedBy(run, now))
            .findFirst();
    var line = new LineReads(session, id);
    var first = hook.turns().waiting() > 0 ? line.first() : List.<Place>of();
    return owner.isEmpty() && first.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Found(
                hook,
                owner,
                first.size() < MOST_LISTED ? first.size() : line.length(),
                first.stream()
                    .map(place -> new Waiting(place.run(), Micros.instant(place.turn())))
                    .toList(),
                now));
  }

  @Override
  public CompletableFuture<Integer> ahead(HookId id, long turn) {
    return reads.submit(id.workspace(), session -> new LineReads(session, id).ahead(turn));
  }

  @Override
  public CompletableFuture<Page<HookId, HookId>> unowned(Optional<HookId> after, int searched) {
    return wide.submit(session -> LineReads.unowned(session, after, searched));
  }

  @Override
  public CompletableFuture<List<Held>> held(RunId run) {
    return reads.submit(
        run.workspace(),
        session ->
            new RunHistoryReads(session, run)
                .tokens().stream()
                    .map(
                        token ->
                            new Held(
                                new HookId(run.workspace(), token.hook()),
                                token.name(),
                                token.retention()))
                    .toList());
  }

  private record Loaded<K extends RecordKey<R>, R>(List<R> records) implements Loading<K, R> {
    @Override
    public void found(K key, R record) {
      records.add(record);
    }

    @Override
    public void deferred(K key) {
      throw new IllegalStateException(key + " is not large");
    }
  }
}
