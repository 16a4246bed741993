package dev.hapax.postgres.lifecycle;

import static dev.hapax.postgres.schema.Tables.LIFECYCLE_VERSION;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleStep;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.lifecycle.PerRequester;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jooq.impl.DSL;

/** Caches the versions of lifecycles. */
public final class LifecycleCache {
  private static final int MAX_BYTES = 64 << 20;

  /** The memory of a short text beside its characters. */
  private static final int TEXT_BYTES = 64;

  private static final String FIND =
      RenderedSql.text(
          DSL.select(LIFECYCLE_VERSION.DOCUMENT)
              .from(LIFECYCLE_VERSION)
              .where(
                  LIFECYCLE_VERSION.WORKSPACE.eq((String) null),
                  LIFECYCLE_VERSION.NAME.eq((String) null),
                  LIFECYCLE_VERSION.VERSION.eq((Long) null)));

  // an applied version never changes; no thread of the cache's own
  private final Cache<LifecycleVersionId, Lifecycle> cache =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher((LifecycleVersionId _, Lifecycle lifecycle) -> bytes(lifecycle))
          .executor(Runnable::run)
          .build();

  /** Estimates the memory of a lifecycle, which is mostly texts. */
  private static int bytes(Lifecycle lifecycle) {
    var texts =
        Stream.of(
                lifecycle.statuses().stream(),
                lifecycle.nonIdempotentActions().stream(),
                lifecycle.terms().keySet().stream(),
                lifecycle.steps().stream().flatMap(LifecycleCache::texts))
            .flatMap(each -> each)
            .mapToInt(text -> TEXT_BYTES + 2 * text.length())
            .sum();
    return texts + lifecycle.annotations().values().stream().mapToInt(LifecycleCache::bytes).sum();
  }

  /** Estimates the memory of an object: a short member takes a multiple of its text. */
  private static int bytes(Json.Obj kept) {
    return TEXT_BYTES + 16 * kept.size();
  }

  private static Stream<String> texts(LifecycleStep step) {
    return Stream.of(
            Stream.of(step.key(), step.status(), step.id().orElse("")),
            step.claim().values().flatMap(states -> Stream.of(states.into(), states.revertTo())),
            Stream.of(step.to(), step.action()).flatMap(PerRequester::values),
            step.effect().values().flatMap(effect -> Stream.of(effect.name(), effect.version())),
            Stream.of(step.claim(), step.to(), step.action(), step.effect())
                .flatMap(each -> each.named().keySet().stream()))
        .flatMap(texts -> texts);
  }

  /**
   * Returns a version that must exist.
   *
   * @param connection used only for one that is not cached, in its current transaction
   */
  Lifecycle get(LifecycleVersionId id, Connection connection) throws SQLException {
    return find(id, () -> new Pipeline(connection))
        .orElseThrow(() -> new IllegalStateException("lifecycle version not found: " + id));
  }

  /**
   * Returns a version, if it exists.
   *
   * @param pipelines used only for one that is not cached
   */
  Optional<Lifecycle> find(LifecycleVersionId id, Supplier<Pipeline> pipelines)
      throws SQLException {
    var known = cache.getIfPresent(id);
    if (known != null) {
      return Optional.of(known);
    }
    var found = new ArrayList<Lifecycle>(1);
    var pipeline = pipelines.get();
    pipeline.query(
        FIND,
        List.of(id.workspace().name(), id.lifecycle().name(), id.version()),
        row -> found.add(LifecycleJson.parse(row.getString(1))));
    pipeline.run();
    found.forEach(read -> cache.put(id, read));
    return found.stream().findFirst();
  }
}
