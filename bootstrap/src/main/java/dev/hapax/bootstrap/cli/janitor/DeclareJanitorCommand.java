package dev.hapax.bootstrap.cli.janitor;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
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
      "Declares what the janitor of a module covers, in place of what it did. One that would leave"
          + " a claim state of a lifecycle alone is refused.",
      "Those in files are declared by `hapax lifecycle apply`."
    })
final class DeclareJanitorCommand implements Callable<Integer> {
  @Mixin private final ServerOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "MODULE", description = "Whose janitor, such as billing.")
  private String module = "";

  @Option(
      names = "--claim-state",
      paramLabel = "STATE",
      description =
          "It frees entities that are stuck in this; may be given again. Not at all = it covers"
              + " nothing any more.")
  private List<String> claimStates = List.of();

  @Option(
      names = "--all-claim-states",
      description =
          "It frees entities that are stuck in any claim state of the module, also of lifecycles to"
              + " come.")
  private boolean allClaimStates;

  @Option(
      names = "--stale-after",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "How long a holder may be silent. Default: 5m")
  private Optional<Duration> staleAfter = Optional.empty();

  @Option(
      names = "--every",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "How often it looks, or polls. Default: 2m")
  private Optional<Duration> every = Optional.empty();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      converter = Mode.Converter.class,
      description = {
        "${COMPLETION-CANDIDATES}: HOSTED = this server takes entities back; REMOTE = the module"
            + " polls for them and looks what was done. Default: HOSTED"
      })
  private Mode mode = Mode.HOSTED;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept with the contract.")
  private String reason = "";

  /** Who looks. */
  enum Mode {
    HOSTED(JanitorMode.JANITOR_MODE_HOSTED),
    REMOTE(JanitorMode.JANITOR_MODE_REMOTE);

    private final JanitorMode wire;

    Mode(JanitorMode wire) {
      this.wire = wire;
    }

    /** As it is typed, or printed by {@code --json}. */
    static final class Converter implements ITypeConverter<Mode> {
      @Override
      public Mode convert(String text) {
        return EnumOption.parse(Mode.class, "JANITOR_MODE_", text);
      }
    }
  }

  DeclareJanitorCommand(Map<String, String> environment) {
    server = new ServerOptions(environment);
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
            .setActor(ServerOptions.actor())
            .setReason(reason)
            .build();
    var response =
        server.call(channel -> JanitorCommands.janitors(channel).declareJanitor(request));
    var out = spec.commandLine().getOut();
    out.println(server.json() ? ValueFormat.json(response) : text(response));
    return ExitCode.OK;
  }

  private static String text(DeclareJanitorResponse response) {
    var contract = response.getContract();
    return "%s: %s covers %s; stale after %s, every %s, %s"
        .formatted(
            response.getAlready() ? "declared already" : "declared",
            contract.getModule(),
            JanitorText.covered(contract, "nothing"),
            ValueFormat.length(contract.getStaleAfter()),
            ValueFormat.length(contract.getEvery()),
            JanitorText.mode(contract.getMode()));
  }
}
