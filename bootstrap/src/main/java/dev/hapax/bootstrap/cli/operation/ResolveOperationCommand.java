package dev.hapax.bootstrap.cli.operation;

import com.google.protobuf.ByteString;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.PayloadText;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.v1.Failure;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.ResolveOperationResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax operation resolve}. */
@Command(
    name = "resolve",
    description = {
      "Resolve an operation that is INDETERMINATE or whose holder is stuck. An operation that"
          + " has ended can only be released, which deletes its result.",
      "Prints the operation afterwards."
    },
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such operation"})
final class ResolveOperationCommand implements Callable<Integer> {
  @Mixin private final KeyOptions key = new KeyOptions();
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @ArgGroup(multiplicity = "1")
  private Resolution resolution = new Resolution();

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Reason, recorded with the operation.")
  private String reason = "";

  @Option(
      names = "--resolution-id",
      paramLabel = "ID",
      description =
          "Idempotency key of the resolution, to repeat it after a lost answer. Default: a new one")
  private Optional<String> resolutionId = Optional.empty();

  /** The resolution; exactly one is given. */
  static final class Resolution {
    @ArgGroup(exclusive = false)
    private @Nullable Complete complete;

    @ArgGroup(exclusive = false)
    private @Nullable Reject reject;

    @Option(
        names = "--release",
        required = true,
        description =
            "The operation was not done, or must be done again: the next request executes it.")
    boolean release;
  }

  /** The operation was done. */
  static final class Complete {
    @Option(
        names = "--complete",
        required = true,
        description = "The operation was done: duplicates get this result, or an empty one.")
    boolean chosen;

    @ArgGroup private @Nullable Result result;
  }

  /** The result for duplicates. */
  static final class Result {
    @Option(
        names = "--result-json",
        required = true,
        paramLabel = PayloadText.LABEL,
        converter = PayloadText.class,
        description = "Result, for handlers that record JSON.")
    private Optional<Payload> json = Optional.empty();

    @Option(
        names = "--result-file",
        required = true,
        paramLabel = "FILE",
        description = "File with the result; for a gRPC handler the serialized response message.")
    private Optional<Path> file = Optional.empty();

    private Payload payload() throws IOException {
      return json.isPresent() ? json.get() : binary(file.orElseThrow());
    }

    private static Payload binary(Path file) throws IOException {
      try {
        return Payload.newBuilder()
            .setBinary(ByteString.copyFrom(Files.readAllBytes(file)))
            .build();
      } catch (IOException e) {
        throw new IOException("the file " + file + " " + FileErrors.describe(file, e), e);
      }
    }
  }

  /** The operation was not done and must not be done. */
  static final class Reject {
    @Option(
        names = "--reject",
        required = true,
        paramLabel = "CODE",
        description =
            "The operation was not done and must not be done: duplicates get this failure. A gRPC handler answers"
                + " with the status of that name, such as FAILED_PRECONDITION.")
    private String code = "";

    @Option(names = "--message", paramLabel = "TEXT", description = "Message of the failure.")
    private String message = "";
  }

  ResolveOperationCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var id = resolutionId.orElseGet(() -> UUID.randomUUID().toString());
    var request = request(id);
    show(
        server.callOnce(
            "--resolution-id " + id,
            hapax -> hapax.call(OperationServiceGrpc.getResolveOperationMethod(), request)));
    return ExitCode.OK;
  }

  private ResolveOperationRequest request(String id) throws IOException {
    var request =
        ResolveOperationRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setKey(key.key())
            .setRequestId(id)
            .setReason(reason)
            .setActor(ConnectionOptions.actor());
    if (resolution.complete != null) {
      var result = resolution.complete.result;
      var complete = ResolveOperationRequest.Complete.newBuilder();
      if (result != null) {
        complete.setResult(result.payload());
      }
      return request.setComplete(complete).build();
    }
    if (resolution.reject != null) {
      return request
          .setReject(
              Failure.newBuilder()
                  .setCode(resolution.reject.code)
                  .setMessage(resolution.reject.message))
          .build();
    }
    return request.setRelease(ResolveOperationRequest.Release.getDefaultInstance()).build();
  }

  private void show(ResolveOperationResponse response) throws IOException {
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(response.getOperation()));
      return;
    }
    if (response.getAlready()) {
      out.println("already resolved with this resolution id; current state:");
    }
    new OperationText(Instant.now()).details(response.getOperation()).forEach(out::println);
  }
}
