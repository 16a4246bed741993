package dev.hapax.bootstrap.cli.security;

import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.WhoAmIResponse;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax whoami}. */
public final class SecurityCommands {
  private SecurityCommands() {}

  /** Adds the command. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    root.addSubcommand(
        RpcCommand.of("whoami", "Show which caller the server takes you for, and what you may do.")
            .calls(IdentityServiceGrpc.getWhoAmIMethod())
            .shows(WhoAmIResponse::getPrincipal, PrincipalText::lines)
            .in(environment));
  }
}
