package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.SchemaDatabase;
import dev.hapax.postgres.security.ApiKeyTable;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** Runs work on the table of API keys in one transaction. */
record KeyDatabase(CommandSpec spec, Map<String, String> environment) {
  <T> T use(ApiKeyTable.Work<T> work) throws Exception {
    return new SchemaDatabase(spec, environment)
        .use(source -> ApiKeyTable.inTransaction(source, work));
  }
}
