package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
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
final class RevokeKeyCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "ID",
      description = "The id of the key, from `hapax key list`, or the key itself.")
  private String given = "";

  private final Map<String, String> environment;

  RevokeKeyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    // never the text that was given: it may have the secret of a leaked key
    var id = OptionValues.read(spec, "ID", () -> ApiKey.idIn(given));
    var done =
        new KeyDatabase(spec, environment)
            .use(
                keys -> {
                  var found =
                      keys.lock(id)
                          .orElseThrow(() -> new IOException("no API key has the id " + id));
                  if (found.revokedAt().isPresent()) {
                    return "was revoked at " + found.revokedAt().get();
                  }
                  keys.revoke(id, keys.now());
                  return "revoked";
                });
    spec.commandLine().getOut().println(id + ": " + done);
    return ExitCode.OK;
  }
}
