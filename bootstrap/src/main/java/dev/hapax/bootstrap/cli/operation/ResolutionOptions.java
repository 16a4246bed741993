package dev.hapax.bootstrap.cli.operation;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.hapax.bootstrap.cli.call.PayloadText;
import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.ResolveOperationRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The options for the resolution of an operation. */
final class ResolutionOptions {
  @ArgGroup(multiplicity = "1")
  private Resolution resolution = new Resolution();

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

  /** Sets the resolution of a request. */
  void fill(Message.Builder filled) throws IOException {
    var request = (ResolveOperationRequest.Builder) filled;
    if (resolution.complete != null) {
      var result = resolution.complete.result;
      var complete = ResolveOperationRequest.Complete.newBuilder();
      if (result != null) {
        complete.setResult(result.payload());
      }
      request.setComplete(complete);
    } else if (resolution.reject != null) {
      request.setReject(
          Failure.newBuilder()
              .setCode(resolution.reject.code)
              .setMessage(resolution.reject.message));
    } else {
      request.setRelease(ResolveOperationRequest.Release.getDefaultInstance());
    }
  }
}
