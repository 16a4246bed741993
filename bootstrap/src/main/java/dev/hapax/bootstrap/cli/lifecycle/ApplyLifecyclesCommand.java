package dev.hapax.bootstrap.cli.lifecycle;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import dev.hapax.application.lifecycle.LifecycleDeclaration;
import dev.hapax.application.lifecycle.LifecycleDeployment;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.startup.lifecycle.InvalidLifecyclesException;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFiles;
import dev.hapax.bootstrap.startup.lifecycle.RefusedLifecyclesException;
import dev.hapax.client.HapaxClient;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax lifecycle apply}. */
@Command(
    name = "apply",
    description = {
      "Declare the janitors and apply the lifecycles in JSON files, in this order. Applying the"
          + " same content again succeeds.",
      "If any file is invalid, or a claim state would have no janitor, reports all problems and"
          + " applies nothing."
    })
final class ApplyLifecyclesCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description = "JSON file with a lifecycle or the contract of a janitor.")
  private List<Path> paths = List.of();

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded with the lifecycles and contracts.")
  private String reason = "";

  ApplyLifecyclesCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var files = LifecycleFiles.read(paths);
    var problems = files.problems();
    if (!problems.isEmpty()) {
      throw new InvalidLifecyclesException("no lifecycle was applied", problems);
    }
    return server.call(hapax -> apply(files, hapax));
  }

  private int apply(LifecycleFiles files, HapaxClient hapax) throws Exception {
    var target = new RemoteLifecycleTarget(server.workspace(), hapax, reason);
    var plan = files.plan(server.workspace(), target.janitors());
    var problems = plan.problems();
    if (!problems.isEmpty()) {
      throw new RefusedLifecyclesException(problems);
    }
    var refusals = LifecycleDeployment.apply(plan, target, this::show);
    refusals.forEach(why -> spec.commandLine().getErr().println("hapax: " + why));
    return refusals.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void show(LifecycleDeclaration declared, boolean already) {
    var verb = declared instanceof LifecycleDeclaration.OfJanitor ? "declared" : "applied";
    spec.commandLine()
        .getOut()
        .println(
            server.json()
                ? json(verb, declared, already)
                : (already ? "already " : "") + verb + ": " + declared.title());
  }

  private static String json(String verb, LifecycleDeclaration declared, boolean already) {
    var line =
        Struct.newBuilder()
            .putFields("file", Values.of(declared.source()))
            .putFields(verb, Values.of(declared.title()))
            .putFields("already", Values.of(already))
            .build();
    try {
      return ValueFormat.json(line);
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }
}
