package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The version after this one, as far as its schema goes: the same program with more migrations. So
 * servers of two versions differ in the schema that they need, and in nothing else.
 *
 * @param classes a folder in front of the class path
 */
record NextVersion(Path classes) {
  private static final String MIGRATIONS = "db/migration";

  /** A version with all migrations of this one. */
  static NextVersion in(Path folder) throws IOException {
    var next = new NextVersion(folder);
    Files.createDirectories(folder.resolve(MIGRATIONS));
    for (var migration : Migrations.shipped()) {
      var resource = "/" + MIGRATIONS + "/" + migration.script();
      try (var script = NextVersion.class.getResourceAsStream(resource)) {
        if (script == null) {
          throw new AssertionError(resource + " is missing");
        }
        Files.copy(script, next.file(migration.script()));
      }
    }
    return next;
  }

  private Path file(String script) {
    return classes.resolve(MIGRATIONS).resolve(script);
  }

  /** Adds a migration. */
  NextVersion with(String script, String sql) throws IOException {
    Files.writeString(file(script), sql);
    return this;
  }

  /** Adds a migration that runs without a transaction. */
  NextVersion withoutTransaction(String script, String sql) throws IOException {
    Files.writeString(file(script + ".conf"), "executeInTransaction=false");
    return with(script, sql);
  }

  /** The flag with which a JVM runs this version: these classes are found first. */
  private String flag() {
    return "-Xbootclasspath/a:" + classes;
  }

  /** One more server of this version, not yet ready. */
  HapaxProcess add(Deployment deployment, String... settings) {
    return deployment.add(List.of(flag()), List.of(settings));
  }

  /** Begins to migrate a database to this version. */
  HapaxProcess migrate(TestDatabase database, String... options) {
    var arguments = new ArrayList<>(List.of("migrate", "--database-url=" + database.url()));
    arguments.addAll(List.of(options));
    return HapaxProcess.start(List.of(flag()), arguments.toArray(String[]::new));
  }
}
