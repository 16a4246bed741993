package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.domain.security.ApiKeyRow;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.domain.security.UnreadableApiKey;
import dev.hapax.postgres.security.ApiKeyTable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax key rotate}. */
@Command(
    name = "rotate",
    description = {
      "Create a key with the grants of a principal's newest live key.",
      "The older keys expire after --overlap, so that clients have time to take the new one."
    })
final class RotateKeyCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "PRINCIPAL", description = "The name of the principal.")
  private String principal = "";

  @Option(
      names = "--overlap",
      paramLabel = "DURATION",
      description = "How long the older keys stay valid. Default: 1d")
  private String overlap = "1d";

  @Option(
      names = "--expires",
      paramLabel = "DURATION",
      description =
          "How long the new key is valid, such as 90d, or never. Default: as long as the newest key"
              + " was to be.")
  private Optional<String> expires = Optional.empty();

  private final Map<String, String> environment;

  RotateKeyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var keep = OptionValues.duration(spec, "--overlap", overlap);
    var lifetime = expires.map(text -> KeyLifetime.read(spec, text));
    var created = new KeyDatabase(spec, environment).use(keys -> rotate(keys, keep, lifetime));
    created.print(spec);
    return ExitCode.OK;
  }

  /** An empty lifetime is that of the newest key. */
  private NewKey rotate(ApiKeyTable keys, Duration keep, Optional<KeyLifetime> lifetime)
      throws IOException {
    var now = keys.now();
    var live =
        keys.list().stream()
            .filter(key -> key.owner().equals(principal) && key.isLive(now))
            .toList();
    if (live.isEmpty()) {
      throw new IOException(
          "%s has no live API key; create one with `hapax key create`".formatted(principal));
    }
    var newest = readable(live.getLast());
    var key =
        NewKey.create(
            principal,
            newest.principal().grants(),
            now,
            lifetime.map(KeyLifetime::duration).orElseGet(newest::lifetime));
    keys.insert(key.stored());
    var end = now.plus(keep);
    live.stream()
        .filter(old -> old.expiresAt().filter(expiry -> !expiry.isAfter(end)).isEmpty())
        .forEach(old -> keys.expire(old.id(), end));
    return key;
  }

  private static StoredApiKey readable(ApiKeyRow row) throws IOException {
    return switch (row) {
      case StoredApiKey key -> key;
      case UnreadableApiKey key ->
          throw new IOException(
              "API key %s cannot be rotated by this version, which cannot read it: %s; use the version that created it"
                  .formatted(key.id(), key.problem()));
    };
  }
}
