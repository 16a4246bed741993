package dev.hapax.postgres.lifecycle;

import static dev.hapax.postgres.schema.Tables.LIFECYCLE;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.Sql;
import dev.hapax.postgres.read.Reads;
import dev.hapax.postgres.read.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jooq.Condition;
import org.jooq.impl.DSL;

/** Looks at lifecycles. */
public final class PostgresLifecycleReads implements LifecycleReads {
  private static final Condition IN_WORKSPACE = LIFECYCLE.WORKSPACE.eq((String) null);

  private static final String FIND =
      select(DSL.and(IN_WORKSPACE, LIFECYCLE.NAME.eq((String) null)));

  private static final String OF_ONE = select(IN_WORKSPACE);
  private static final String OF_ALL = select(DSL.noCondition());

  private final Reads reads;
  private final Lifecycles lifecycles;
  private final LifecycleRows rows;

  public PostgresLifecycleReads(Reads reads, Lifecycles lifecycles) {
    this.reads = reads;
    this.lifecycles = lifecycles;
    this.rows = new LifecycleRows(lifecycles);
  }

  private static String select(Condition which) {
    return Sql.text(
        DSL.select(LIFECYCLE.WORKSPACE, LIFECYCLE.NAME)
            .select(LifecycleRows.LOADED)
            .from(LIFECYCLE)
            .where(which)
            .orderBy(LIFECYCLE.WORKSPACE, LIFECYCLE.NAME));
  }

  @Override
  public CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id) {
    return reads.submit(
        connection ->
            read(connection, FIND, List.of(id.workspace().name(), id.name())).stream().findFirst());
  }

  @Override
  public CompletableFuture<Optional<Lifecycle>> version(LifecycleVersionId id) {
    return reads.submit(connection -> lifecycles.find(id, connection));
  }

  @Override
  public CompletableFuture<List<AppliedLifecycle>> list(Optional<Workspace> workspace) {
    return reads.submit(
        connection ->
            workspace.isPresent()
                ? read(connection, OF_ONE, List.of(workspace.get().name()))
                : read(connection, OF_ALL, List.of()));
  }

  private List<AppliedLifecycle> read(Connection connection, String select, List<?> values)
      throws SQLException {
    var found = new ArrayList<AppliedLifecycle>();
    var pipeline = new Pipeline(connection);
    pipeline.query(
        select,
        values,
        row -> {
          var names = new Row(row);
          var workspace = new Workspace(names.text(LIFECYCLE.WORKSPACE));
          var id = new LifecycleId(workspace, names.text(LIFECYCLE.NAME));
          found.add(rows.applied(id, row));
        });
    pipeline.run();
    return found;
  }
}
