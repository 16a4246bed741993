package dev.hapax.bootstrap.cli.definition;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.startup.definition.DefinitionFile;
import dev.hapax.bootstrap.startup.definition.InvalidDefinitionsException;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax definition apply}. */
@Command(
    name = "apply",
    description = {
      "Register the definitions in JSON files, in this order. Registering the same content again"
          + " succeeds; other content for the same version fails.",
      "If any file is invalid, reports the problems of all files and registers nothing."
    })
final class ApplyDefinitionsCommand implements Callable<Integer> {
  private static final Set<Status.Code> REFUSED =
      Set.of(Status.Code.ALREADY_EXISTS, Status.Code.INVALID_ARGUMENT);

  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description = "RegisterDefinitionRequest as JSON; durations such as 250ms, 30s, 1h30m, 1d.")
  private List<Path> paths = List.of();

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded with the definition.")
  private Optional<String> reason = Optional.empty();

  ApplyDefinitionsCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var files = paths.stream().map(path -> DefinitionFile.read(path, server.workspace())).toList();
    var problems = files.stream().flatMap(file -> file.problems().stream()).toList();
    if (!problems.isEmpty()) {
      throw new InvalidDefinitionsException(problems);
    }
    return server.call(hapax -> register(files, hapax));
  }

  /** Registers the definitions; a rejected one does not stop the others. */
  private int register(List<DefinitionFile> files, Hapax hapax) throws IOException {
    int code = ExitCode.OK;
    for (var file : files) {
      try {
        show(
            file,
            hapax
                .call(request(file.definition()), RegisterDefinitionResponse.getDefaultInstance())
                .getAlready());
      } catch (HapaxException.Refused e) {
        var error = e.error();
        if (!REFUSED.contains(Status.fromCodeValue(error.getCode()).getCode())) {
          throw e;
        }
        spec.commandLine().getErr().println("hapax: " + file.problem(error.getMessage()));
        code = ExitCode.SOFTWARE;
      }
    }
    return code;
  }

  private RegisterDefinitionRequest request(RegisterDefinitionRequest definition) {
    var request = definition.toBuilder();
    if (definition.getActor().isEmpty()) {
      request.setActor(ConnectionOptions.actor());
    }
    reason.ifPresent(request::setReason);
    return request.build();
  }

  private void show(DefinitionFile file, boolean already) throws IOException {
    var out = spec.commandLine().getOut();
    if (!server.json()) {
      out.println((already ? "already registered: " : "registered: ") + file.title());
      return;
    }
    out.println(
        ValueFormat.json(
            Struct.newBuilder()
                .putFields("file", Values.of(file.path().toString()))
                .putFields("name", Values.of(file.definition().getName()))
                .putFields("version", Values.of(file.definition().getVersion()))
                .putFields("already", Values.of(already))
                .build()));
  }
}
