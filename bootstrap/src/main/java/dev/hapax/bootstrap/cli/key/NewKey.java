package dev.hapax.bootstrap.cli.key;

import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.StoredApiKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** A new key: its text, which is printed once, and what is stored. */
record NewKey(ApiKey key, StoredApiKey stored) {
  static NewKey create(
      String principal, List<RoleGrant> grants, Instant now, Optional<Duration> lifetime) {
    var key = ApiKey.create(new SecureRandom()::nextInt);
    return new NewKey(
        key,
        new StoredApiKey(
            key.id(),
            key.secretHash(),
            new Principal(Principal.Kind.API_KEY, principal, grants),
            now,
            System.getProperty("user.name", ""),
            lifetime.map(now::plus),
            Optional.empty()));
  }

  /** Prints the key alone to standard output, so that it can be redirected to a file. */
  void print(CommandSpec spec) {
    var command = spec.commandLine();
    command.getErr().println("principal  " + stored.principal().name());
    stored.principal().grants().forEach(grant -> command.getErr().println("grant      " + grant));
    command
        .getErr()
        .println("expires    " + stored.expiresAt().map(Instant::toString).orElse("never"));
    command.getErr().println("id         " + stored.id());
    command.getErr().println("The key is shown only now; the database has its hash:");
    command.getErr().flush();
    command.getOut().println(key.text());
  }
}
