package dev.hapax.bootstrap.cli.intent;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax intent await}. */
@Command(
    name = "await",
    description = "Wait until a server has taken an intent, then show its outcome.",
    exitCodeList = {
      "0:it was taken",
      "1:failure",
      "2:invalid usage",
      "3:no such intent: not committed, rolled back, or taken more than 7 days ago",
      "4:it was taken and ended with an error",
      "6:not taken within --timeout"
    })
final class AwaitIntentCommand implements Callable<Integer> {
  private static final int FAILED = 4;
  private static final int NOT_TAKEN = 6;

  /** The wait of one long poll, which is shorter than the deadline of a call. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "TICKET",
      description = "What the SQL function returned, such as run_01k… or intent_01k….")
  private String ticket = "";

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      defaultValue = "60s",
      description = "Maximum time to wait. Default: ${DEFAULT-VALUE}")
  private Duration timeout = Duration.ZERO;

  AwaitIntentCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var intent = server.call(this::await);
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(intent));
    } else {
      new IntentText(Instant.now()).details(intent).forEach(out::println);
    }
    return !intent.hasTakenAt() ? NOT_TAKEN : intent.hasError() ? FAILED : ExitCode.OK;
  }

  private Intent await(HapaxClient hapax) {
    var end = System.nanoTime() + timeout.toNanos();
    while (true) {
      var left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
      var wait = left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT;
      var intent =
          hapax
              .call(
                  IntentServiceGrpc.getAwaitIntentMethod(),
                  AwaitIntentRequest.newBuilder()
                      .setWorkspace(server.workspace())
                      .setTicket(ticket)
                      .setWait(Durations.fromMillis(wait.toMillis()))
                      .build())
              .getIntent();
      if (intent.hasTakenAt() || left.equals(wait)) {
        return intent;
      }
    }
  }
}
