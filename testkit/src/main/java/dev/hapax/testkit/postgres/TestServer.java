package dev.hapax.testkit.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** The PostgreSQL server that the tests of one JVM share. */
sealed interface TestServer {
  /**
   * Names the environment variable with the JDBC URL of an existing server; its user must be
   * allowed to create databases.
   */
  String URL_VARIABLE = "HAPAX_TEST_DATABASE_URL";

  /**
   * Names the environment variable that selects Testcontainers, with the value {@code container}.
   */
  String KIND_VARIABLE = "HAPAX_TEST_DATABASE";

  /** Names the environment variable with the image of a container; {@code postgres:18} if unset. */
  String IMAGE_VARIABLE = "HAPAX_TEST_IMAGE";

  /** Returns the JDBC URL of a database of this server. */
  String url(String database);

  static TestServer start() {
    var url = System.getenv(URL_VARIABLE);
    if (url != null && !url.isEmpty()) {
      return new Given(url);
    }
    return "container".equals(System.getenv(KIND_VARIABLE)) ? Container.start() : Embedded.start();
  }

  record Given(String url) implements TestServer {
    @Override
    public String url(String database) {
      return url.replaceFirst("(jdbc:postgresql://[^/]+/)[^?]*", "$1" + database);
    }
  }

  /** The part of a server that tests need. */
  Map<String, String> SETTINGS =
      Map.of(
          "max_connections", "200",
          "synchronous_commit", "on",
          "max_prepared_transactions", "5",
          "wal_level", "logical");

  record Embedded(EmbeddedPostgres server) implements TestServer {
    static Embedded start() {
      try {
        var server = EmbeddedPostgres.builder();
        SETTINGS.forEach(server::setServerConfig);
        return new Embedded(server.start());
      } catch (IOException e) {
        throw new UncheckedIOException("the embedded PostgreSQL did not start", e);
      }
    }

    @Override
    public String url(String database) {
      return server.getJdbcUrl("postgres", database);
    }
  }

  record Container(PostgreSQLContainer server) implements TestServer {
    static Container start() {
      if (!DockerClientFactory.instance().isDockerAvailable()) {
        throw new IllegalStateException(
            "no Docker here: start its daemon, or leave out -Pcontainer to test with the embedded PostgreSQL");
      }
      var image = System.getenv().getOrDefault(IMAGE_VARIABLE, "postgres:18");
      var command = new ArrayList<>(List.of("postgres", "-c", "fsync=off"));
      SETTINGS.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
      var server = new PostgreSQLContainer(image);
      server.setCommand(command.toArray(String[]::new));
      server.start();
      return new Container(server);
    }

    @Override
    public String url(String database) {
      return String.format(
          Locale.ROOT,
          "jdbc:postgresql://%s:%d/%s?user=%s&password=%s",
          server.getHost(),
          server.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
          database,
          server.getUsername(),
          server.getPassword());
    }
  }
}
