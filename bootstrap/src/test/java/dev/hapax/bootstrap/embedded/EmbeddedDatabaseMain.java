package dev.hapax.bootstrap.embedded;

import dev.hapax.bootstrap.database.Connections;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A process that writes a row to the built-in PostgreSQL and then waits to be killed. */
final class EmbeddedDatabaseMain {
  private EmbeddedDatabaseMain() {}

  public static void main(String[] args) throws Exception {
    var database = EmbeddedDatabase.start(Path.of(args[0]));
    try (var connection = Connections.open(database.target());
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS kept (value text)");
      statement.execute("INSERT INTO kept VALUES ('row')");
    }
    System.out.println("written");
    new CountDownLatch(1).await();
  }
}
