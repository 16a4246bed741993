package dev.hapax.bootstrap.cli.lifecycle;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.startup.lifecycle.InvalidLifecyclesException;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFile;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFiles;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.grpc.lifecycle.ContractFields;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.ErrorReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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
      "Declare the janitors and apply the lifecycles in JSON files, all or none. Applying the"
          + " same content again succeeds.",
      "If any file is invalid, reports all problems. All files together have at most 1 MiB."
    },
    exitCodeList = {
      "0:success",
      "1:failure, or the server rejects the files",
      "2:invalid usage or files",
      "3:an after-effect names a definition that is not registered"
    })
final class ApplyLifecyclesCommand implements Callable<Integer> {
  /** The number of retries, a second apart: a change takes at most ten seconds. */
  private static final int TRIES = 20;

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
    var request =
        ApplyLifecyclesRequest.newBuilder()
            .setWorkspace(server.workspace())
            .addAllLifecycles(files.lifecycles().map(LifecycleFile.OfLifecycle::text).toList())
            .setActor(ConnectionOptions.actor())
            .setReason(reason);
    files.janitors().forEach(file -> request.addJanitors(ContractFields.write(file.contract())));
    show(files, server.call(hapax -> apply(hapax, request.build())));
    return ExitCode.OK;
  }

  /** Retries while another client is changing one of the lifecycles. */
  private static ApplyLifecyclesResponse apply(Hapax hapax, ApplyLifecyclesRequest request)
      throws InterruptedException {
    for (var tries = TRIES; ; tries--) {
      try {
        return hapax.call(request, ApplyLifecyclesResponse.getDefaultInstance());
      } catch (HapaxException e) {
        if (tries == 0 || e.error().getReason() != ErrorReason.ERROR_REASON_LIFECYCLE_CHANGING) {
          throw e;
        }
        TimeUnit.SECONDS.sleep(1);
      }
    }
  }

  private void show(LifecycleFiles files, ApplyLifecyclesResponse response) throws IOException {
    var declared = response.getJanitorsList().iterator();
    for (var file : files.janitors().toList()) {
      show("declared", file, declared.next().getAlready());
    }
    var applied = response.getLifecyclesList().iterator();
    for (var file : files.lifecycles().toList()) {
      show("applied", file, applied.next().getAlready());
    }
  }

  private void show(String verb, LifecycleFile file, boolean already) throws IOException {
    spec.commandLine()
        .getOut()
        .println(
            server.json()
                ? json(verb, file, already)
                : (already ? "already " : "") + verb + ": " + file.title());
  }

  private static String json(String verb, LifecycleFile file, boolean already) throws IOException {
    return ValueFormat.json(
        Struct.newBuilder()
            .putFields("file", Values.of(file.path().toString()))
            .putFields(verb, Values.of(file.title()))
            .putFields("already", Values.of(already))
            .build());
  }
}
