package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.codegen.GenerationTool;
import org.jooq.meta.jaxb.Configuration;
import org.jooq.meta.jaxb.Database;
import org.jooq.meta.jaxb.Generate;
import org.jooq.meta.jaxb.Generator;
import org.jooq.meta.jaxb.Jdbc;
import org.jooq.meta.jaxb.Target;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -Dhapax.tables=write} writes the tables anew after a migration was added. */
class TablesIT {
  private static final Path COMMITTED = Path.of("src/generated/java");

  @Test
  @DisplayName("the committed jOOQ tables are those of the migrated schema")
  void committedTablesAreThoseOfTheSchema(@TempDir Path generated) throws Exception {
    var write = "write".equals(System.getProperty("hapax.tables"));
    try (var database = TestDatabase.create()) {
      Migrations.migrate(database.dataSource());
      GenerationTool.generate(configuration(database, write ? COMMITTED : generated));
    }
    if (!write) {
      assertThat(sources(COMMITTED)).isEqualTo(sources(generated));
    }
  }

  private static Configuration configuration(TestDatabase database, Path target) {
    return new Configuration()
        .withJdbc(new Jdbc().withUrl(database.url()))
        .withGenerator(
            new Generator()
                .withDatabase(
                    new Database()
                        .withInputSchema(Migrations.SCHEMA)
                        .withExcludes(
                            "flyway_schema_history|expect|live_node|required_feature|ticket|inbox_seq|inbox_count|inbox_share|entity_now|.*inbox\\.xid|xid|operation_result_\\d+")
                        .withIncludeExcludeColumns(true))
                .withGenerate(
                    new Generate()
                        .withRecords(false)
                        .withKeys(false)
                        .withIndexes(false)
                        .withRoutines(false)
                        .withGeneratedAnnotation(false)
                        .withGlobalTableReferences(true)
                        .withDefaultCatalog(false))
                .withTarget(
                    new Target()
                        .withPackageName("dev.hapax.postgres.schema")
                        .withDirectory(target.toString())));
  }

  private static Map<String, String> sources(Path root) throws IOException {
    var sources = new TreeMap<String, String>();
    try (var files = Files.walk(root)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        sources.put(root.relativize(file).toString(), Files.readString(file));
      }
    }
    return sources;
  }
}
