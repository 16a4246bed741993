package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax key}. */
public final class KeyCommands {
  private KeyCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of(
            "key",
            "Create, list, rotate and revoke API keys.",
            "Works on the database itself, with the settings of `hapax serve`; needs no running"
                + " server.")
        .addTo(
            root,
            environment,
            CreateKeyCommand::new,
            ListKeysCommand::new,
            RotateKeyCommand::new,
            RevokeKeyCommand::new);
  }
}
