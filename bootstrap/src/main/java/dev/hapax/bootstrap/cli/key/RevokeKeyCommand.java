package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.SettingOptions;
import dev.hapax.domain.security.ApiKey;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax key revoke}. */
@Command(
    name = "revoke",
    description = {
      "Revoke an API key.",
      "Every server refuses its calls within 5 s, and ends its open streams within 10 s."
    })
final class RevokeKeyCommand implements Callable<Integer>, SettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ID", description = "The id of the key, from `hapax key list`.")
  private String id = "";

  private final Map<String, String> environment;

  RevokeKeyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var bare = id.startsWith(ApiKey.PREFIX) ? id.substring(ApiKey.PREFIX.length()) : id;
    var done =
        new KeyDatabase(spec, environment)
            .use(
                keys -> {
                  var found =
                      keys.lock(bare)
                          .orElseThrow(() -> new IOException("no API key has the id " + bare));
                  if (found.revokedAt().isPresent()) {
                    return "was revoked at " + found.revokedAt().get();
                  }
                  keys.revoke(bare, keys.now());
                  return "revoked";
                });
    spec.commandLine().getOut().println(bare + ": " + done);
    return ExitCode.OK;
  }
}
