package dev.hapax.console.run;

import com.google.protobuf.Empty;
import dev.hapax.console.web.Fields;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SettledCompletion;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The verdicts of an operator about the effect of a step or part. */
public enum SettleVerdict {
  COMPLETE,
  REPEAT,
  FAIL,
  SKIP;

  /** The value of its button. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<SettleVerdict> of(String word) {
    return Arrays.stream(values()).filter(verdict -> verdict.word().equals(word)).findFirst();
  }

  /** Sets what the fields of a form say. */
  void set(SettleStepRequest.Builder request, Fields form) {
    switch (this) {
      case COMPLETE -> {
        var complete = SettledCompletion.newBuilder();
        form.optional("output")
            .ifPresent(json -> complete.setOutput(Payload.newBuilder().setJson(json)));
        request.setComplete(complete);
      }
      case REPEAT -> request.setRepeat(Empty.getDefaultInstance());
      case FAIL ->
          request.setFail(
              Failure.newBuilder().setCode(form.text("code")).setMessage(form.text("message")));
      case SKIP -> request.setSkip(Empty.getDefaultInstance());
    }
  }
}
