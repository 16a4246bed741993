package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.domain.security.ApiKeyRow;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.domain.security.UnreadableApiKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax key list}. */
@Command(
    name = "list",
    description = {
      "List API keys by principal, without their secrets.",
      "LAST USED is the hour of the last call; - = no call is recorded."
    })
final class ListKeysCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--all", description = "Also list keys that expired or were revoked.")
  private boolean all;

  private final Map<String, String> environment;

  ListKeysCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  private record Listed(List<ApiKeyRow> keys, Map<String, Instant> lastUses, Instant now) {}

  @Override
  public Integer call() throws Exception {
    var listed =
        new KeyDatabase(spec, environment)
            .use(keys -> new Listed(keys.list(), keys.lastUses(), keys.now()));
    var table = new Table("PRINCIPAL", "ID", "STATE", "CREATED", "EXPIRES", "LAST USED", "GRANTS");
    listed.keys().stream()
        .filter(key -> all || key.isLive(listed.now()))
        .forEach(key -> add(table, key, listed));
    table.lines().forEach(spec.commandLine().getOut()::println);
    return ExitCode.OK;
  }

  private static void add(Table table, ApiKeyRow key, Listed listed) {
    table.add(
        key.owner(),
        key.id(),
        state(key, listed.now()),
        time(key.createdAt()),
        key.expiresAt().map(ListKeysCommand::time).orElse("never"),
        Optional.ofNullable(listed.lastUses().get(key.id())).map(ListKeysCommand::time).orElse("-"),
        switch (key) {
          case StoredApiKey known ->
              known.principal().grants().stream()
                  .map(RoleGrant::toString)
                  .collect(Collectors.joining("; "));
          case UnreadableApiKey other -> other.problem();
        });
  }

  private static String state(ApiKeyRow key, Instant now) {
    if (key.revokedAt().isPresent()) {
      return "revoked";
    }
    if (!key.isLive(now)) {
      return "expired";
    }
    return switch (key) {
      case StoredApiKey _ -> "live";
      case UnreadableApiKey _ -> "unreadable";
    };
  }

  private static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
