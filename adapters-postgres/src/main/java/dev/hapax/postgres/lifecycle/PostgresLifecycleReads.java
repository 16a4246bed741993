package dev.hapax.postgres.lifecycle;

import static dev.hapax.postgres.schema.Tables.LIFECYCLE;
import static dev.hapax.postgres.schema.Tables.LIFECYCLE_VERSION;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.NamePages;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jooq.impl.DSL;

/** Reads lifecycles. */
public final class PostgresLifecycleReads implements LifecycleReads {
  private static final String FIND =
      RenderedSql.text(
          DSL.select(LifecycleRows.LOADED)
              .from(LIFECYCLE)
              .where(LIFECYCLE.WORKSPACE.eq((String) null), LIFECYCLE.NAME.eq((String) null)));

  private static final String COUNT =
      NamePages.count(LIFECYCLE, LIFECYCLE.WORKSPACE, MAX_PER_WORKSPACE);

  private final ReadExecutor reads;
  private final LifecycleCache lifecycles;
  private final LifecycleRows rows;

  public PostgresLifecycleReads(ReadExecutor reads, LifecycleCache lifecycles) {
    this.reads = reads;
    this.lifecycles = lifecycles;
    this.rows = new LifecycleRows(lifecycles);
  }

  @Override
  public CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id) {
    return reads.submit(id.workspace(), session -> find(session, id));
  }

  private Optional<AppliedLifecycle> find(ReadSession session, LifecycleId id) throws SQLException {
    var found = new ArrayList<AppliedLifecycle>(1);
    var pipeline = session.pipeline();
    pipeline.query(
        FIND, List.of(id.workspace().name(), id.name()), row -> found.add(rows.applied(id, row)));
    pipeline.run();
    return found.stream().findFirst();
  }

  @Override
  public CompletableFuture<Optional<Lifecycle>> version(LifecycleVersionId id) {
    return reads.submit(
        id.lifecycle().workspace(), session -> lifecycles.find(id, session::pipeline));
  }

  @Override
  public CompletableFuture<Page<AppliedLifecycle, String>> list(
      Workspace workspace, int size, Optional<String> after) {
    var select =
        DSL.select(LIFECYCLE.NAME, LIFECYCLE_VERSION.DOCUMENT)
            .select(LifecycleRows.LOADED)
            .from(LIFECYCLE)
            .join(LIFECYCLE_VERSION)
            .on(
                LIFECYCLE_VERSION.WORKSPACE.eq(LIFECYCLE.WORKSPACE),
                LIFECYCLE_VERSION.NAME.eq(LIFECYCLE.NAME),
                LIFECYCLE_VERSION.VERSION.eq(LIFECYCLE.VERSION))
            .where(LIFECYCLE.WORKSPACE.eq(workspace.name()));
    return reads.submit(
        workspace,
        session ->
            NamePages.page(
                session,
                select,
                LIFECYCLE.NAME,
                List.of(LIFECYCLE_VERSION.DOCUMENT),
                size,
                after,
                (row, _) ->
                    LifecycleRows.applied(
                        LifecycleJson.parse(row.text(LIFECYCLE_VERSION.DOCUMENT)), row),
                applied -> applied.lifecycle().name()));
  }

  @Override
  public CompletableFuture<Integer> count(Workspace workspace) {
    return reads.submit(workspace, session -> NamePages.count(session, COUNT, workspace));
  }
}
