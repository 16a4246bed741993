package dev.hapax.bootstrap.lifecycle;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.grpc.janitor.JanitorEncoding;
import dev.hapax.v1.ApplyLifecycleRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.JanitorServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax lifecycle apply}. */
@Command(
    name = "apply",
    description = {
      "Declares the janitors and applies the lifecycles in these JSON files, in this order. What is"
          + " so already is fine.",
      "If any file is invalid, says all that is wrong with all of them, and applies nothing."
    })
final class ApplyCommand implements Callable<Integer> {
  @Mixin private final ServerOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description = "A lifecycle, or the contract of a janitor.")
  private List<Path> paths = List.of();

  /** One thing to ask the server for; whether it was so already. */
  private interface Request {
    boolean send();
  }

  ApplyCommand(Map<String, String> environment) {
    server = new ServerOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var files = LifecycleFiles.read(paths);
    var problems = files.problems();
    if (!problems.isEmpty()) {
      throw new InvalidLifecyclesException("nothing was applied", problems);
    }
    return server.call(channel -> apply(files, channel));
  }

  /** One that is refused does not spare the others. */
  private int apply(LifecycleFiles files, Channel channel) throws IOException {
    var later = new ArrayList<LifecycleFile.OfJanitor>();
    for (var file : files.janitors().toList()) {
      // what a lifecycle relies on may be what another one here makes it do without
      if (refusal(file, "declared", () -> declare(file, channel)).isPresent()) {
        later.add(file);
      }
    }
    var refusals = new ArrayList<String>();
    for (var file : files.lifecycles().toList()) {
      refusal(file, "applied", () -> apply(file, channel)).ifPresent(refusals::add);
    }
    for (var file : later) {
      refusal(file, "declared", () -> declare(file, channel)).ifPresent(refusals::add);
    }
    refusals.forEach(why -> spec.commandLine().getErr().println("hapax: " + why));
    return refusals.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private boolean declare(LifecycleFile.OfJanitor file, Channel channel) {
    return ServerOptions.soon(JanitorServiceGrpc.newBlockingStub(channel))
        .declareJanitor(
            DeclareJanitorRequest.newBuilder()
                .setWorkspace(server.workspace())
                .setContract(JanitorEncoding.contract(file.contract()))
                .build())
        .getAlready();
  }

  private boolean apply(LifecycleFile.OfLifecycle file, Channel channel) {
    return LifecycleCommand.lifecycles(channel)
        .applyLifecycle(
            ApplyLifecycleRequest.newBuilder()
                .setWorkspace(server.workspace())
                .setJson(file.text())
                .build())
        .getAlready();
  }

  /** Why it was refused; empty = it was done, and shown. */
  private Optional<String> refusal(LifecycleFile file, String verb, Request request)
      throws IOException {
    try {
      show(file, verb, request.send());
      return Optional.empty();
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() != Status.Code.FAILED_PRECONDITION) {
        throw e;
      }
      return Optional.of(file.path() + ": " + e.getStatus().getDescription());
    }
  }

  private void show(LifecycleFile file, String verb, boolean already) throws IOException {
    var out = spec.commandLine().getOut();
    if (!server.json()) {
      out.println(verb + (already ? " already: " : ": ") + file.title());
      return;
    }
    out.println(
        Shown.json(
            Struct.newBuilder()
                .putFields("file", Values.of(file.path().toString()))
                .putFields(verb, Values.of(file.title()))
                .putFields("already", Values.of(already))
                .build()));
  }
}
