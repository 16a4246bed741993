package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.Role;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Two servers with a console on one database: one asks for credentials, and one does not. */
final class ConsoleDeployment implements AutoCloseable {
  private final TestDatabase database = TestDatabase.create();
  private final Map<Role, ApiKey> keys = new EnumMap<>(Role.class);
  private final HapaxProcess open;
  private final HapaxProcess authenticated;
  private final String target;

  ConsoleDeployment() {
    Migrations.migrate(database.dataSource());
    var stored = new ApiKeys(database);
    for (var role : Role.values()) {
      keys.put(role, stored.create("the-" + role, "role=%s workspace=*".formatted(role)));
    }
    open = serve();
    authenticated = serve("--authentication");
    target = open.awaitReady();
    authenticated.awaitReady();
  }

  private HapaxProcess serve(String... settings) {
    var arguments = new ArrayList<>(List.of("serve", "--listen=127.0.0.1:0"));
    arguments.add("--console-listen=127.0.0.1:0");
    arguments.add("--database-url=" + database.url());
    arguments.addAll(List.of(settings));
    return HapaxProcess.start(arguments.toArray(String[]::new));
  }

  /** Where the server without authentication takes calls. */
  String target() {
    return target;
  }

  /** The console for visitors without credentials. */
  URI console() {
    return console(open);
  }

  /** The console that asks for credentials. */
  URI authenticatedConsole() {
    return console(authenticated);
  }

  static URI console(HapaxProcess server) {
    var line = server.awaitError(each -> each.contains("console on http"));
    return URI.create(line.replaceFirst(".*console on ", ""));
  }

  ApiKey key(Role role) {
    return Objects.requireNonNull(keys.get(role));
  }

  /** Lines of the logs that a visitor must not cause. */
  List<String> complaints() {
    return Stream.of(open, authenticated)
        .flatMap(server -> server.loggedErrors().stream())
        .toList();
  }

  @Override
  public void close() {
    open.close();
    authenticated.close();
    database.close();
  }
}
