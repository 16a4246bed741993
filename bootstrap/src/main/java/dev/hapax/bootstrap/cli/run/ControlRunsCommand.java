package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.Terminal;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.Control;
import dev.hapax.client.Hapax;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax run cancel}, {@code pause}, {@code resume} and {@code retry}. */
@Command(
    exitCodeList = {
      "0:success",
      "1:failure of at least one run",
      "2:invalid usage",
      "3:no such run"
    })
final class ControlRunsCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Mixin private final RunSelection selection = new RunSelection();
  @Mixin private final ControlRunOptions options = new ControlRunOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  private final ControlRunOptions.RequestId requestId = new ControlRunOptions.RequestId();
  private final ControlVerb verb;

  ControlRunsCommand(Map<String, String> environment, ControlVerb verb) {
    server = new ConnectionOptions(environment);
    this.verb = verb;
  }

  CommandLine commandLine() {
    var commandLine = new CommandLine(this);
    commandLine.setCommandName(verb.command());
    var command = commandLine.getCommandSpec();
    command
        .usageMessage()
        .description(
            verb.description(),
            "Prints the run. With --all, lists the matching runs and asks for confirmation first; if"
                + " interrupted, run the same command again to continue.");
    if (verb == ControlVerb.RETRY) {
      command.addMixin("requestId", CommandSpec.forAnnotatedObject(requestId));
    }
    return commandLine;
  }

  @Override
  public Integer call() throws Exception {
    selection.check(verb);
    if (options.expectedVersion() != 0 && !selection.isOne()) {
      throw new ParameterException(
          spec.commandLine(), "--expected-version needs exactly one run ID");
    }
    var id = requestId.id().orElseGet(() -> UUID.randomUUID().toString());
    var change = change(id);
    return verb == ControlVerb.RETRY
        ? server.callOnce("--request-id " + id, hapax -> control(hapax, change))
        : server.call(hapax -> control(hapax, change));
  }

  private Control change(String id) {
    try {
      return Control.because(options.reason())
          .expectedVersion(options.expectedVersion())
          .requestId(id);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private int control(Hapax hapax, Control change) throws Exception {
    var ids = selection.find(hapax, server.workspace(), verb);
    if (selection.isOne()) {
      var controlled = verb.apply(hapax.runs(), ids.getFirst(), change);
      var out = spec.commandLine().getOut();
      if (controlled.isAlready() && !server.json()) {
        out.println("already " + verb.done() + "; current state:");
      }
      server.print(controlled.run().message(), RunText::details, out);
      return ExitCode.OK;
    }
    var terminal = Terminal.ofProcess(spec.commandLine().getErr());
    if (selection.needsConfirmation() && !ids.isEmpty() && !isConfirmed(ids.size(), terminal)) {
      spec.commandLine().getErr().println("hapax: no run was " + verb.done());
      return ExitCode.SOFTWARE;
    }
    return controlAll(hapax, change, ids, terminal);
  }

  private boolean isConfirmed(int runs, Terminal terminal) throws IOException {
    if (!terminal.isInteractive()) {
      throw new ParameterException(
          spec.commandLine(),
          "this would %s %s; add --yes to confirm, since there is no terminal"
              .formatted(verb.command(), count(runs)));
    }
    return terminal.confirms("%s %s?".formatted(verb.command(), count(runs)));
  }

  private int controlAll(Hapax hapax, Control change, List<String> ids, Terminal terminal)
      throws Exception {
    var out = spec.commandLine().getOut();
    var err = spec.commandLine().getErr();
    var bulk =
        new BulkControl(id -> verb.apply(hapax.runs(), id, change).run().message(), terminal);
    var result =
        bulk.apply(
            ids,
            run -> {
              if (server.json()) {
                out.println(ValueFormat.json(run));
              }
            },
            (id, why) -> err.println("hapax: " + id + ": " + why));
    if (!server.json()) {
      out.println(
          String.format(
              Locale.ROOT, "%s %d of %s", verb.done(), result.changed(), count(ids.size())));
    }
    if (result.failure().isPresent()) {
      throw result.failure().get();
    }
    return result.changed() == ids.size() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private static String count(int runs) {
    return runs == 1 ? "1 run" : runs + " runs";
  }
}
