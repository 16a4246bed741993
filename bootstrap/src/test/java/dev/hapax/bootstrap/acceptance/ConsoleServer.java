package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.net.http.HttpClient;
import java.util.Map;

/** A server with a console and API keys, whose statements are counted. */
final class ConsoleServer implements AutoCloseable {
  private static final String ADDRESS = "console on ";

  private final TestDatabase database = TestDatabase.create();
  private final QueryCounter counter = new QueryCounter(database.url());
  private final HttpClient http = HttpClient.newHttpClient();
  private final ApiKeys keys = new ApiKeys(database);
  private final HapaxProcess server;
  private final Caller admin;
  private final String console;

  ConsoleServer() {
    Migrations.migrate(database.dataSource());
    var key = keys.create("admin", "role=admin workspace=*");
    server =
        HapaxProcess.start(
            Map.of("HAPAX_CONSOLE_LISTEN", "127.0.0.1:0"),
            "serve",
            "--listen=127.0.0.1:0",
            "--authentication",
            "--database-url=" + counter.url());
    try (var anonymous = Caller.to(server.awaitReady())) {
      admin = anonymous.as(key);
    }
    console = server.awaitOutput(line -> line.startsWith(ADDRESS)).substring(ADDRESS.length());
  }

  /** The administrator by gRPC. */
  Caller admin() {
    return admin;
  }

  /** A visitor who has not logged in. */
  HttpVisitor visitor() {
    return new HttpVisitor(http, console);
  }

  /** A visitor with a new key of this role in the workspace of the administrator. */
  HttpVisitor visitor(String role) {
    var key = keys.create(role, "role=" + role + " workspace=" + admin.workspace());
    var visitor = visitor();
    Condition.await(
        "the server has read the key",
        () -> {
          var answer = visitor.submit("/login", Map.of("credential", key.text()));
          return !answer.headers().firstValue("Location").orElse("refused").contains("refused");
        });
    return visitor;
  }

  String page(String rest) {
    return "/w/" + admin.workspace() + "/" + rest;
  }

  TestDatabase database() {
    return database;
  }

  QueryCounter counter() {
    return counter;
  }

  HapaxProcess server() {
    return server;
  }

  @Override
  public void close() {
    admin.close();
    server.close();
    http.close();
    counter.close();
    database.close();
  }
}
