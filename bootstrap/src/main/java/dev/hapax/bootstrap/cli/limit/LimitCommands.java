package dev.hapax.bootstrap.cli.limit;

import com.google.protobuf.Duration;
import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.LimitServiceGrpc;
import dev.hapax.v1.LimitSetting;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.ListLimitsResponse;
import dev.hapax.v1.SetLimitResponse;
import java.util.ArrayList;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax limit}. */
public final class LimitCommands {
  private static final String NONE = "-";

  /** Counts are limited to this value. */
  private static final int COUNTED = 10_000;

  private static final Columns<LimitState> LIMITS =
      Columns.<LimitState>of("LIMIT", 20, limit -> ValueFormat.line(limit.getName()))
          .add(
              "KEY",
              20,
              limit -> limit.getKey().isEmpty() ? NONE : ValueFormat.line(limit.getKey()))
          .add("OF", 11, limit -> limit.getOfDefinitions() ? "definitions" : "steps")
          .add("MAX", 5, limit -> limit.getMaxRunning() == 0 ? NONE : number(limit.getMaxRunning()))
          .add(
              "RATE",
              10,
              limit -> limit.hasPer() ? rate(limit.getMaxStarts(), limit.getPer()) : NONE)
          .add("RUNNING", 7, limit -> number(limit.getRunning()))
          .add("WAITING", 7, limit -> number(limit.getWaiting()))
          .addAged(
              "OLDEST",
              9,
              (limit, now) ->
                  limit.hasOldestSince() ? ValueFormat.ago(limit.getOldestSince(), now) : NONE)
          .addAged(
              "NEXT",
              9,
              (limit, now) -> limit.hasNextAt() ? ValueFormat.left(limit.getNextAt(), now) : NONE)
          .add("SET BY", 12, limit -> limit.hasSetting() ? limit.getSetting().getSetBy() : NONE);

  private LimitCommands() {}

  private static String rate(int maxStarts, Duration per) {
    return maxStarts + " in " + ValueFormat.length(per);
  }

  private static String number(int counted) {
    return counted >= COUNTED ? COUNTED + "+" : Integer.toString(counted);
  }

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("limit", "Show and set how many runs may be at limited steps, and start there.")
        .addTo(root, environment, list(), set());
  }

  private static Subcommand list() {
    return RpcCommand.of("list", "List limits with the runs in their queues and lines.")
        .option("--name", "NAME", "Only values of this limit.")
        .calls(LimitServiceGrpc.getListLimitsMethod())
        .lists(ListLimitsResponse::getLimitsList, LIMITS, "no limits");
  }

  private static Subcommand set() {
    return RpcCommand.of("set", "Set the numbers of a limit, before those of all definitions.")
        .argument("name", "NAME", "Name of the limit.")
        .option("--key", "KEY", "Only for this value of its key. Default: all values")
        .flag("--of-definitions", "of_definitions", "The limit of definitions, not that of steps.")
        .option("--max-running", "N", "Maximum number of runs: 1 to 1,000.")
        .option("--max-starts", "N", "Maximum number of starts in each time: 1 to 10,000.")
        .option("--per", "DURATION", "Time for the starts, such as 1m: 1 s to 24 h.")
        .flag("--remove", "remove", "Remove the numbers: those of the definitions hold again.")
        .option("--reason", "TEXT", "Reason, stored with the numbers.")
        .calls(LimitServiceGrpc.getSetLimitMethod())
        .says(LimitCommands::text);
  }

  private static String text(SetLimitResponse response) {
    var now = response.hasSetting() ? text(response.getSetting()) : "the definitions decide";
    return response.getAlready() ? "already so: " + now : now;
  }

  private static String text(LimitSetting setting) {
    var numbers = new ArrayList<String>();
    if (setting.getMaxRunning() > 0) {
      numbers.add("max running is " + setting.getMaxRunning());
    }
    if (setting.hasPer()) {
      numbers.add("max starts is " + rate(setting.getMaxStarts(), setting.getPer()));
    }
    return String.join(", ", numbers);
  }
}
