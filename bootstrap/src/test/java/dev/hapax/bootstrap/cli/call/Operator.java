package dev.hapax.bootstrap.cli.call;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A server, and an operator who types commands. */
public final class Operator implements AutoCloseable {
  private final TestDatabase database = TestDatabase.create();
  private final Server server;

  public Operator() throws Exception {
    server =
        Server.start(
            ConfigReader.read(
                Map.of(
                    "listen",
                    "127.0.0.1:0",
                    "database-url",
                    database.url(),
                    "allow-unsafe-database",
                    "true",
                    "drain",
                    "1s"),
                Map.of(),
                Optional.empty()));
  }

  /** What a command said. */
  public record Said(int code, String out, String err) {
    public List<String> lines() {
      return out.lines().toList();
    }
  }

  /** Runs a command in a workspace. */
  public Said hapax(String workspace, String... arguments) {
    var all = new ArrayList<>(List.of(arguments));
    all.add("--workspace=" + workspace);
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        HapaxCommand.commandLine(Map.of("HAPAX_SERVER", address()))
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(all.toArray(String[]::new));
    if (err.toString().contains("\tat ")) {
      throw new AssertionError("a stack trace: " + err);
    }
    return new Said(code, out.toString(), err.toString());
  }

  public TestDatabase database() {
    return database;
  }

  public String address() {
    return server.address().toString();
  }

  @Override
  public void close() {
    server.close();
    database.close();
  }
}
