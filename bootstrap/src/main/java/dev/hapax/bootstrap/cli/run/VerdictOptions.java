package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.Empty;
import dev.hapax.bootstrap.cli.call.PayloadText;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SettledCompletion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options for a verdict; picocli accepts exactly one. */
final class VerdictOptions {
  @Option(
      names = "--complete",
      arity = "0..1",
      paramLabel = PayloadText.LABEL,
      converter = Completion.class,
      description = "Its effect happened; with the output. Default: no output")
  private @Nullable SettledCompletion completion;

  @Option(
      names = "--skip",
      description = "The step ends without its effect, and the run continues. Not with --part.")
  private boolean skip;

  @Option(
      names = "--fail",
      paramLabel = "CODE[:MESSAGE]",
      converter = FailureText.class,
      description = "Its effect did not happen, and will not.")
  private @Nullable Failure failure;

  @Option(names = "--repeat", description = "Its effect did not happen: attempt it again.")
  private boolean repeat;

  /** Parses an output that may be missing. */
  static final class Completion implements ITypeConverter<SettledCompletion> {
    @Override
    public SettledCompletion convert(String text) {
      var completion = SettledCompletion.newBuilder();
      if (!text.isEmpty()) {
        completion.setOutput(new PayloadText().convert(text));
      }
      return completion.build();
    }
  }

  /** Parses a code and a message. */
  static final class FailureText implements ITypeConverter<Failure> {
    @Override
    public Failure convert(String text) {
      var colon = text.indexOf(':');
      var code = colon < 0 ? text : text.substring(0, colon);
      if (code.isBlank()) {
        throw new TypeConversionException("'" + text + "' has no code before the message");
      }
      return Failure.newBuilder()
          .setCode(code.strip())
          .setMessage(colon < 0 ? "" : text.substring(colon + 1).strip())
          .build();
    }
  }

  boolean isCompletion() {
    return completion != null;
  }

  boolean isSkip() {
    return skip;
  }

  /** Sets the verdict; the patch is for a completion. */
  void set(SettleStepRequest.Builder request, @Nullable Payload statePatch) {
    var done = completion;
    var failed = failure;
    if (done != null) {
      request.setComplete(
          statePatch == null ? done : done.toBuilder().setStatePatch(statePatch).build());
    } else if (failed != null) {
      request.setFail(failed);
    } else if (skip) {
      request.setSkip(Empty.getDefaultInstance());
    } else if (repeat) {
      request.setRepeat(Empty.getDefaultInstance());
    }
  }
}
