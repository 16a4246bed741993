package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What the run shall own, and what to do when another one does. */
final class TokenOptions {
  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      required = true,
      description = "What only one run may own, such as order/4711.")
  private String token = "";

  @Option(
      names = "--token-retention",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description =
          "How long the token answers with the run after its end, such as 24h. Default: not at all")
  private Optional<Duration> retention = Optional.empty();

  @Option(
      names = "--hook-name",
      paramLabel = "NAME",
      description =
          "What the run calls the token, for its steps that wait by hook. Default: no name")
  private String name = "";

  @Option(
      names = "--on-conflict",
      paramLabel = "POLICY",
      converter = OnConflictOption.Converter.class,
      description =
          "When another run owns the token: ${COMPLETION-CANDIDATES}. Default: reject, which names"
              + " the owner")
  private Optional<OnConflictOption> onConflict = Optional.empty();

  @Option(
      names = "--expected-owner",
      paramLabel = "ID",
      description = "With supersede: only this run. Default: whichever owns it")
  private String expectedOwner = "";

  void into(StartRunRequest.Builder request) {
    var hook =
        StartRunRequest.Hook.newBuilder()
            .setToken(token)
            .setName(name)
            .setExpectedOwner(expectedOwner);
    retention.ifPresent(time -> hook.setRetention(Durations.fromMillis(time.toMillis())));
    onConflict.ifPresent(policy -> hook.setOnConflict(policy.wire()));
    request.addHooks(hook);
  }
}
