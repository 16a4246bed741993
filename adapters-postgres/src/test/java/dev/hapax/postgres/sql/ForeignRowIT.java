package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A ledger whose statements lost their conditions on workspaces, without row-level security. */
class ForeignRowIT {
  private static final Definition DEFINITION = RunSamples.everyKind("sample");

  /** The same database, with statements stripped by {@link WorkspaceWall}. */
  private static DataSource stripped(DataSource database) {
    return wrap(DataSource.class, database);
  }

  private static <T> T wrap(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                arguments[0] = WorkspaceWall.stripped((String) arguments[0]);
              }
              try {
                var result = method.invoke(target, arguments);
                return type == DataSource.class && result instanceof Connection opened
                    ? wrap(Connection.class, opened)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  @Tag("A6")
  @DisplayName("given a load that finds a row of another workspace, then its command alone fails")
  void foreignRow() throws Exception {
    var settings = PostgresLedger.Settings.DEFAULT.withCommitters(1);
    var other = DEFINITION.id();
    var foreign = new DefinitionId(new Workspace("foreign"), other.name(), other.version());
    var absent = new DefinitionId(new Workspace("foreign"), "absent", other.version());
    try (var database = TestDatabase.create()) {
      Migrations.migrate(database.dataSource());
      try (var connection = database.connect()) {
        new TableCalls<>(connection, DefinitionTable.create())
            .write(List.of(new Write<DefinitionId, Definition>(other, null, DEFINITION)));
      }
      try (var signal = new CommitNotifier(database.dataSource(), database.dataSource());
          var ledger =
              new PostgresLedger(
                  stripped(database.dataSource()),
                  List.of(DefinitionTable.create()),
                  signal,
                  new DatabaseFence(0, 1),
                  new DatabaseOutage(database.dataSource()),
                  new PendingIntents(),
                  settings)) {
        var leaking = ledger.submit(RunNodes.read(foreign));
        var own = ledger.submit(RunNodes.read(other));
        var written = ledger.submit(RunNodes.write(absent, DEFINITION));
        assertThatThrownBy(leaking::join)
            .hasCauseInstanceOf(LedgerException.Defective.class)
            .hasRootCauseMessage(
                "a load of DefinitionId in workspace foreign returned a row of workspace %s;"
                        .formatted(other.workspace().name())
                    + " nothing was decided on it");
        assertThat(own.join().steps()).isEqualTo(DEFINITION.steps());
        assertThat(written.join()).isTrue();
      }
    }
  }
}
