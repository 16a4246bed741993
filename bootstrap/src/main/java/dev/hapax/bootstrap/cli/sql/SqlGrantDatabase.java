package dev.hapax.bootstrap.cli.sql;

import dev.hapax.bootstrap.cli.SchemaDatabase;
import dev.hapax.postgres.intent.SqlGrantTable;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** Runs work on the table of SQL grants in one transaction. */
record SqlGrantDatabase(CommandSpec spec, Map<String, String> environment) {
  <T> T use(SqlGrantTable.Work<T> work) throws Exception {
    return new SchemaDatabase(spec, environment)
        .use(source -> SqlGrantTable.inTransaction(source, work));
  }
}
