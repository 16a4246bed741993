package dev.hapax.bootstrap.cli.janitor;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax janitor declare}. */
@Command(
    name = "declare",
    description = {
      "Declare the claim states that the janitor of a module covers; replaces its contract. Fails"
          + " if a claim state of a lifecycle would be left without a janitor.",
      "`hapax lifecycle apply` declares janitors from files."
    })
final class DeclareJanitorCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "MODULE", description = "Module of the janitor, such as billing.")
  private String module = "";

  @Option(
      names = "--claim-state",
      paramLabel = "STATE",
      description =
          "Claim state that the janitor covers; repeatable. Without it the janitor covers"
              + " nothing.")
  private List<String> claimStates = List.of();

  @Option(
      names = "--all-claim-states",
      description =
          "Cover every claim state of the module, including those of future" + " lifecycles.")
  private boolean allClaimStates;

  @Option(
      names = "--stale-after",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "Time without a heartbeat after which a claim is stale. Default: 5m")
  private Optional<Duration> staleAfter = Optional.empty();

  @Option(
      names = "--every",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "Interval between sweeps or polls. Default: 2m")
  private Optional<Duration> every = Optional.empty();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      converter = Mode.Converter.class,
      description = {
        "${COMPLETION-CANDIDATES}: HOSTED = the server reverts stale entities; REMOTE = the module"
            + " polls for them and recovers them. Default: HOSTED"
      })
  private Mode mode = Mode.HOSTED;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded with the contract.")
  private String reason = "";

  /** The mode of a janitor. */
  enum Mode {
    HOSTED(JanitorMode.JANITOR_MODE_HOSTED),
    REMOTE(JanitorMode.JANITOR_MODE_REMOTE);

    private final JanitorMode wire;

    Mode(JanitorMode wire) {
      this.wire = wire;
    }

    /** Parses the name as typed or as printed by {@code --json}. */
    static final class Converter implements ITypeConverter<Mode> {
      @Override
      public Mode convert(String text) {
        return EnumOption.parse(Mode.class, "JANITOR_MODE_", text);
      }
    }
  }

  DeclareJanitorCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var contract =
        JanitorContract.newBuilder()
            .setModule(module)
            .addAllClaimStates(claimStates)
            .setAllClaimStates(allClaimStates)
            .setMode(mode.wire);
    staleAfter.ifPresent(time -> contract.setStaleAfter(Durations.fromMillis(time.toMillis())));
    every.ifPresent(time -> contract.setEvery(Durations.fromMillis(time.toMillis())));
    var request =
        DeclareJanitorRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setContract(contract)
            .setActor(ConnectionOptions.actor())
            .setReason(reason)
            .build();
    var response =
        server.call(hapax -> hapax.call(JanitorServiceGrpc.getDeclareJanitorMethod(), request));
    var out = spec.commandLine().getOut();
    out.println(server.json() ? ValueFormat.json(response) : text(response));
    return ExitCode.OK;
  }

  private static String text(DeclareJanitorResponse response) {
    var contract = response.getContract();
    return "%s: %s covers %s; stale after %s, every %s, %s"
        .formatted(
            response.getAlready() ? "already declared" : "declared",
            contract.getModule(),
            JanitorText.covered(contract, "nothing"),
            ValueFormat.length(contract.getStaleAfter()),
            ValueFormat.length(contract.getEvery()),
            JanitorText.mode(contract.getMode()));
  }
}
