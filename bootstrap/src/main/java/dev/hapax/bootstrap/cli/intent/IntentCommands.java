package dev.hapax.bootstrap.cli.intent;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.client.Hapax;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitIntentResponse;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.IntentState;
import dev.hapax.v1.ListIntentsResponse;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** {@code hapax intent}. */
public final class IntentCommands {
  private static final int FAILED = 4;
  private static final int NOT_TAKEN = 6;
  private static final long DEFAULT_WAIT_MILLIS = 60_000;
  private static final long LONGEST_WAIT_MILLIS = 20_000;

  private IntentCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of(
            "intent", "List and await what applications posted in their database transactions.")
        .addTo(root, environment, list(), await());
  }

  private static Subcommand list() {
    return RpcCommand.of("list", "List intents that no server has taken, the oldest first.")
        .flag(
            "--failed",
            "state",
            IntentState.INTENT_STATE_FAILED,
            "List those that ended with an error in the last 7 days, the newest first.")
        .calls(IntentServiceGrpc.getListIntentsMethod())
        .lists(ListIntentsResponse::getIntentsList, IntentText.COLUMNS, "no intents");
  }

  private static Subcommand await() {
    return RpcCommand.of("await", "Wait until a server has taken an intent, then show its outcome.")
        .argument(
            "ticket", "TICKET", "What the SQL function returned, such as run_01k… or intent_01k….")
        .option("--timeout", "wait", "DURATION", "Maximum time to wait. Default: 60s")
        .exits(
            "0:it was taken",
            "1:failure",
            "2:invalid usage",
            "3:no such intent: not committed, rolled back, or taken more than 7 days ago",
            "4:it was taken and ended with an error",
            "6:not taken within --timeout")
        .calls(IntentServiceGrpc.getAwaitIntentMethod())
        .by(IntentCommands::await)
        .prints(
            call -> {
              var intent = call.response().getIntent();
              call.print(intent, IntentText::details);
              return !intent.hasTakenAt() ? NOT_TAKEN : intent.hasError() ? FAILED : ExitCode.OK;
            });
  }

  /** Waits in several long polls, each of which is shorter than the deadline of a call. */
  private static AwaitIntentResponse await(Hapax hapax, AwaitIntentRequest request) {
    var timeout = request.hasWait() ? Durations.toMillis(request.getWait()) : DEFAULT_WAIT_MILLIS;
    var end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout);
    while (true) {
      var left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
      var wait = Math.min(left, LONGEST_WAIT_MILLIS);
      var response =
          hapax.call(
              request.toBuilder().setWait(Durations.fromMillis(wait)).build(),
              AwaitIntentResponse.getDefaultInstance());
      if (response.getIntent().hasTakenAt() || left == wait) {
        return response;
      }
    }
  }
}
