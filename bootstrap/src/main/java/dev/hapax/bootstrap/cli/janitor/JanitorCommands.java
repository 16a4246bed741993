package dev.hapax.bootstrap.cli.janitor;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.client.Hapax;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.ListJanitorsResponse;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax janitor}. */
public final class JanitorCommands {
  private static final String MODULE = "Module of the janitor, such as billing.";

  private JanitorCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of(
            "janitor",
            "Show, declare and run janitors, which recover entities with an expired lease.")
        .addTo(root, environment, list(), declare(), sweep());
  }

  private static Subcommand list() {
    return RpcCommand.of("list", "List janitors with their contract, last sweep and delay.")
        .calls(JanitorServiceGrpc.getListJanitorsMethod())
        .lists(ListJanitorsResponse::getJanitorsList, JanitorText.COLUMNS, "no janitors");
  }

  private static Subcommand declare() {
    return RpcCommand.of(
            "declare",
            "Declare the claim states that the janitor of a module covers; replaces its contract."
                + " Fails if a claim state of a lifecycle would be left without a janitor.",
            "`hapax lifecycle apply` declares janitors from files.")
        .argument("contract.module", "MODULE", MODULE)
        .option(
            "--claim-state",
            "contract.claim_states",
            "STATE",
            "Claim state that the janitor covers; repeatable. Without it the janitor covers"
                + " nothing.")
        .flag(
            "--all-claim-states",
            "contract.all_claim_states",
            "Cover every claim state of the module, including those of future lifecycles.")
        .option(
            "--stale-after",
            "contract.stale_after",
            "DURATION",
            "Time without a heartbeat after which a claim is stale. Default: 5m")
        .option(
            "--every",
            "contract.every",
            "DURATION",
            "Interval between sweeps or polls. Default: 2m")
        .option(
            "--mode",
            "contract.mode",
            "MODE",
            "${COMPLETION-CANDIDATES}: HOSTED = the server reverts stale entities; REMOTE = the"
                + " module polls for them and recovers them. Default: HOSTED")
        .option("--reason", "TEXT", "Reason, recorded with the contract.")
        .calls(JanitorServiceGrpc.getDeclareJanitorMethod())
        .says(JanitorText::declared);
  }

  private static Subcommand sweep() {
    return RpcCommand.of(
            "sweep",
            "Run the sweep of a hosted janitor now, until no stale entity is left, and print how"
                + " many entities it freed. Entities with a running lease are not affected.")
        .argument("module", "MODULE", MODULE)
        .option("--reason", "TEXT", "Reason, recorded in the history of each freed entity.")
        .absent("no such janitor", "failure, or the janitor is remote")
        .calls(JanitorServiceGrpc.getSweepMethod())
        .by(JanitorCommands::sweepAll)
        .says(
            swept ->
                "freed "
                    + swept.getFreed()
                    + (swept.getComplete() ? "" : "; more entities are stale, sweep again"));
  }

  /** Sweeps until nothing is freed, since one sweep is limited. */
  private static SweepResponse sweepAll(Hapax hapax, SweepRequest request) {
    var freed = 0;
    SweepResponse last;
    do {
      last = hapax.call(request, SweepResponse.getDefaultInstance());
      freed += last.getFreed();
    } while (!last.getComplete() && last.getFreed() > 0);
    return last.toBuilder().setFreed(freed).build();
  }
}
