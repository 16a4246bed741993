package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for a token of the run, and for a token with an owner. */
final class TokenOptions {
  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      required = true,
      description = "Token that at most one run owns, such as order/4711.")
  private String token = "";

  @Option(
      names = "--token-retention",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description =
          "How long the token still resolves to the run after its end, such as 24h. Default: 0s")
  private Optional<Duration> retention = Optional.empty();

  @Option(
      names = "--hook-name",
      paramLabel = "NAME",
      description =
          "Name of the token within the run, for steps that wait by hook name. Default: none")
  private String name = "";

  @Option(
      names = "--on-conflict",
      paramLabel = "POLICY",
      converter = OnConflictOption.Converter.class,
      description =
          "Policy if another run owns the token: ${COMPLETION-CANDIDATES}. Default: reject, which"
              + " prints the owner")
  private Optional<OnConflictOption> onConflict = Optional.empty();

  @Option(
      names = "--expected-owner",
      paramLabel = "ID",
      description = "With supersede: fail unless this run owns the token. Default: any owner")
  private String expectedOwner = "";

  @Option(
      names = "--queue-limit",
      paramLabel = "N",
      description = "With queue: at most this many runs wait for the token. Default: 1000")
  private int queueLimit;

  @Option(
      names = "--queue-full",
      paramLabel = "POLICY",
      converter = QueueFullOption.Converter.class,
      description =
          "With queue, if as many runs wait: ${COMPLETION-CANDIDATES}. Default: reject; with"
              + " --queue-limit 1, supersede lets this run wait instead of the other")
  private Optional<QueueFullOption> queueFull = Optional.empty();

  void addTo(StartRunRequest.Builder request) {
    var hook =
        StartRunRequest.Hook.newBuilder()
            .setToken(token)
            .setName(name)
            .setExpectedOwner(expectedOwner)
            .setQueueLimit(queueLimit);
    retention.ifPresent(time -> hook.setRetention(Durations.fromMillis(time.toMillis())));
    onConflict.ifPresent(policy -> hook.setOnConflict(policy.wire()));
    queueFull.ifPresent(policy -> hook.setQueueFull(policy.wire()));
    request.addHooks(hook);
  }
}
