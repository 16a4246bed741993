package dev.hapax.bootstrap.kit;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.client.Codec;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.claim.RunningAction;
import dev.hapax.client.internal.DetectedTraces;
import dev.hapax.client.operation.RunningOperation;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.client.worker.WorkflowContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Does the parts of a work. */
record JavaWork(JavaContract program, Path ledger, Held held, String id) {
  private static final long PAUSE_MILLIS = 20;

  /** What the work holds; a step also has its context. */
  record Held(long fence, BooleanSupplier isLost, Optional<WorkflowContext> workflow) {
    static Held of(RunningOperation operation) {
      return new Held(operation.fence(), operation::isLost, Optional.empty());
    }

    static Held of(RunningAction action) {
      return new Held(action.fence(), action::isLost, Optional.empty());
    }

    static Held of(WorkflowContext context) {
      return new Held(context.task().fence(), context.task()::isLost, Optional.of(context));
    }

    WorkflowContext context() {
      return workflow.orElseThrow();
    }
  }

  JavaWork begin() {
    event("begins", "");
    return this;
  }

  JavaWork beginStep() {
    var task = held.context().task();
    event(
        "begins",
        String.format(
            Locale.ROOT,
            ", \"attempt\": %d, \"traceparent\": \"%s\", \"span\": \"%s\"",
            task.attempt(),
            task.task().getRun().getTraceparent(),
            DetectedTraces.INSTANCE.current()));
    return this;
  }

  private void event(String name, String more) {
    KitJson.say(
        String.format(
            Locale.ROOT,
            "\"event\": \"%s\", \"id\": %s, \"fence\": %d%s",
            name,
            KitJson.quoted(id),
            held.fence(),
            more));
  }

  /** What the work returns, as JSON; void is null. */
  String run(List<Value> parts) throws Exception {
    return run(parts, id);
  }

  /** As {@link #run}, for a step, which says when it ends. */
  String runToEnd(List<Value> parts) throws Exception {
    try {
      return run(parts);
    } finally {
      event("ends", "");
    }
  }

  private String run(List<Value> parts, String effectId) throws Exception {
    for (var part : parts) {
      var fields = part.getStructValue();
      if (fields.containsFields("return")) {
        return KitJson.print(fields.getFieldsOrThrow("return"));
      }
      run(fields, effectId);
    }
    return "null";
  }

  private void run(Struct part, String effectId) throws Exception {
    var kind =
        part.getFieldsMap().keySet().stream()
            .filter(key -> !key.matches("work|ms|timeout_ms"))
            .findFirst()
            .orElseThrow();
    var name = KitJson.text(part, kind);
    switch (kind) {
      case "effect" -> effect(name, effectId);
      case "hold" -> hold(name);
      case "record" -> {
        var parts = part.getFieldsOrThrow("work").getListValue().getValuesList();
        var value = held.context().step(name, stepId -> run(parts, stepId));
        said("recorded", name, value);
      }
      case "beside" -> Thread.startVirtualThread(() -> beside(part, effectId));
      case "suspend" -> held.context().sleep(name, millis(part, "ms"));
      case "await_signal" -> said("signal", name, signal(name, part));
      case "patch" ->
          part.getFieldsOrThrow(kind)
              .getStructValue()
              .getFieldsMap()
              .forEach((member, value) -> held.context().patchState(member, KitJson.print(value)));
      case "fail" -> throw failure(name);
      default -> throw new IllegalArgumentException("unknown part " + part);
    }
  }

  private void beside(Struct part, String effectId) {
    try {
      run(part.getFieldsOrThrow("beside").getListValue().getValuesList(), effectId);
    } catch (Throwable thrown) {
      event(
          "beside_failed", ", \"message\": " + KitJson.quoted(String.valueOf(thrown.getMessage())));
    }
  }

  private @Nullable String signal(String type, Struct part) {
    return part.containsFields("timeout_ms")
        ? held.context()
            .awaitSignal(type, AwaitedSignal.ofType(type), Codec.json(), millis(part, "timeout_ms"))
            .orElse(null)
        : held.context().awaitSignal(type, Codec.json());
  }

  private void said(String event, String name, @Nullable String value) {
    event(event, ", \"name\": %s, \"value\": %s".formatted(KitJson.quoted(name), value));
  }

  private static Duration millis(Struct part, String field) {
    return Duration.ofMillis((long) part.getFieldsOrThrow(field).getNumberValue());
  }

  private static WorkFailure failure(String kind) {
    return switch (kind) {
      case "final" -> WorkFailure.forGood("FAILED", "as the work says");
      case "unknown_effect" -> WorkFailure.unknownEffect("FAILED", "as the work says");
      default -> WorkFailure.retryable("FAILED", "as the work says");
    };
  }

  private void effect(String name, String effectId) throws IOException {
    Files.writeString(
        ledger,
        String.format(Locale.ROOT, "%s %d %s\n", name, held.fence(), effectId),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private void hold(String latch) {
    event("holds", ", \"latch\": " + KitJson.quoted(latch));
    var isLost = false;
    while (!isOpen(latch)) {
      if (!isLost && held.isLost().getAsBoolean()) {
        isLost = true;
        event("lost", "");
      }
    }
  }

  private boolean isOpen(String latch) {
    try {
      return program.latch(latch).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // the worker interrupts a handler that lost its task; this one holds on
      return false;
    }
  }
}
