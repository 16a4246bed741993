package dev.hapax.console.operation;

import dev.hapax.console.view.ConfirmView;
import dev.hapax.console.web.Fields;
import dev.hapax.v1.Failure;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import dev.hapax.v1.ResolveOperationRequest;
import java.util.Locale;
import java.util.Set;

/** The resolutions of an operation by an operator. */
public enum ResolveVerb {
  COMPLETE(
      "Complete",
      "Do this only if its effect happened. Duplicates get this result.",
      OperationState.OPERATION_STATE_IN_PROGRESS,
      OperationState.OPERATION_STATE_INDETERMINATE),
  REJECT(
      "Reject",
      "Do this only if its effect did not happen and must not happen. Duplicates get this failure.",
      OperationState.OPERATION_STATE_IN_PROGRESS,
      OperationState.OPERATION_STATE_INDETERMINATE),
  RELEASE(
      "Release",
      "Do this only if its effect did not happen, or may happen again. A stored answer is"
          + " forgotten, and the next BeginOperation acquires the key.",
      OperationState.OPERATION_STATE_IN_PROGRESS,
      OperationState.OPERATION_STATE_INDETERMINATE,
      OperationState.OPERATION_STATE_COMPLETED,
      OperationState.OPERATION_STATE_REJECTED);

  private final String title;
  private final String effect;
  private final Set<OperationState> from;

  ResolveVerb(String title, String effect, OperationState... from) {
    this.title = title;
    this.effect = effect;
    this.from = Set.of(from);
  }

  public String title() {
    return title;
  }

  String effect() {
    return effect;
  }

  boolean isFor(OperationState state) {
    return from.contains(state);
  }

  /** The segment of its address. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  ConfirmView inputs(ConfirmView question) {
    return switch (this) {
      case COMPLETE -> question.lines("result", "Result", "JSON; empty = void");
      case REJECT ->
          question
              .requiredLine("code", "Code of the failure", "such as CARD_DECLINED")
              .line("message", "Message", "for the caller");
      case RELEASE -> question;
    };
  }

  /** Sets what the fields of a form say. */
  void set(ResolveOperationRequest.Builder request, Fields form) {
    switch (this) {
      case COMPLETE -> {
        var complete = ResolveOperationRequest.Complete.newBuilder();
        form.optional("result")
            .ifPresent(json -> complete.setResult(Payload.newBuilder().setJson(json)));
        request.setComplete(complete);
      }
      case REJECT ->
          request.setReject(
              Failure.newBuilder().setCode(form.text("code")).setMessage(form.text("message")));
      case RELEASE -> request.setRelease(ResolveOperationRequest.Release.getDefaultInstance());
    }
  }
}
