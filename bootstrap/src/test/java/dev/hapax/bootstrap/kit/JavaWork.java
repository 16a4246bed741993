package dev.hapax.bootstrap.kit;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.client.Claim;
import dev.hapax.client.Codec;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.HapaxException;
import dev.hapax.client.RetryableFailure;
import dev.hapax.client.Task;
import dev.hapax.client.UnknownEffect;
import dev.hapax.client.Wait;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.DetectedTraces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Does the parts of a work. */
record JavaWork(JavaContract program, Path ledger, Held held, String id) {
  private static final long PAUSE_MILLIS = 20;
  private static final List<String> KINDS =
      List.of(
          "effect",
          "hold",
          "record",
          "map",
          "patched",
          "caught",
          "beside",
          "suspend",
          "await_signal",
          "patch",
          "set_state",
          "fail_times",
          "fail");

  /** What the work holds; a step also has its task. */
  record Held(Claim claim, Optional<Task> step) {
    static Held of(Claim claim) {
      return new Held(claim, Optional.empty());
    }

    /** The task of a step, or of one of its branches. */
    static Held of(Task task) {
      return new Held(task.claim(), Optional.of(task));
    }

    Task task() {
      return step.orElseThrow();
    }
  }

  JavaWork begin() {
    event("begins", "");
    return this;
  }

  JavaWork beginStep() {
    var task = held.task();
    event(
        "begins",
        String.format(
            Locale.ROOT,
            ", \"attempt\": %d, \"traceparent\": \"%s\", \"span\": \"%s\"",
            task.attempt(),
            task.message().getRun().getTraceparent(),
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
            held.claim().fence(),
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
    var kind = kind(part);
    var name = KitJson.text(part, kind);
    switch (kind) {
      case "effect" -> effect(ledger, name + " " + held.claim().fence() + " " + effectId);
      case "hold" -> hold(name);
      case "record" -> said("recorded", name, JavaParts.record(this, name, part));
      case "map" -> said("mapped", name, JavaParts.map(this, name, part));
      case "patched" -> {
        var patched = held.task().patched(name);
        said("patched", name, String.valueOf(patched));
        runAll(part, patched ? "work" : "else", effectId);
      }
      case "caught" -> caught(part, effectId);
      case "beside" -> Thread.startVirtualThread(() -> beside(part, effectId));
      case "suspend" -> held.task().suspend(name, millis(part, "ms"));
      case "await_signal" -> said("signal", name, signal(name, part));
      case "patch" -> JavaParts.members(part, kind).forEach(held.task()::patchState);
      case "set_state" -> held.task().setState(JavaParts.members(part, kind));
      case "fail_times" -> failTimes(part, effectId);
      case "fail" -> throw failure(name, "FAILED", Duration.ZERO);
      default -> throw new IllegalArgumentException("unknown part " + part);
    }
  }

  /** The field that names the kind of a part: it comes before the options, if there are any. */
  private static String kind(Struct part) {
    return KINDS.stream().filter(part::containsFields).findFirst().orElseThrow();
  }

  /** The work of a part, void if it has none of this name. */
  String runAll(Struct part, String field, String effectId) throws Exception {
    return run(
        part.getFieldsOrDefault(field, Value.getDefaultInstance()).getListValue().getValuesList(),
        effectId);
  }

  private void caught(Struct part, String effectId) throws Exception {
    try {
      var _ = runAll(part, "caught", effectId);
    } catch (HapaxException.PartFailed failed) {
      event(
          "part_failed",
          ", \"part\": %s, \"code\": %s, \"attempts\": %s"
              .formatted(
                  KitJson.quoted(failed.part()),
                  KitJson.quoted(failed.failure().code()),
                  failed.attempts()));
    }
  }

  private void failTimes(Struct part, String effectId) throws IOException {
    var fails = Path.of(ledger + ".fails");
    var failed =
        Files.exists(fails)
            ? Files.readAllLines(fails).stream().filter(effectId::equals).count()
            : 0;
    if (failed < part.getFieldsOrThrow("fail_times").getNumberValue()) {
      effect(fails, effectId);
      var code = KitJson.text(part, "code");
      throw failure(
          KitJson.text(part, "fail"),
          code.isEmpty() ? "FAILED" : code,
          part.containsFields("retry_after_ms") ? millis(part, "retry_after_ms") : Duration.ZERO);
    }
  }

  private void beside(Struct part, String effectId) {
    try {
      var _ = runAll(part, "beside", effectId);
    } catch (Throwable thrown) {
      event(
          "beside_failed", ", \"message\": " + KitJson.quoted(String.valueOf(thrown.getMessage())));
    }
  }

  private @Nullable String signal(String type, Struct part) {
    var wait = Wait.signal(type, Codec.jsonText());
    return part.containsFields("timeout_ms")
        ? held.task().awaitSignal(wait, millis(part, "timeout_ms")).orElse(null)
        : held.task().awaitSignal(wait);
  }

  private void said(String event, String name, @Nullable String value) {
    event(event, ", \"name\": %s, \"value\": %s".formatted(KitJson.quoted(name), value));
  }

  static Duration millis(Struct part, String field) {
    return Duration.ofMillis((long) part.getFieldsOrThrow(field).getNumberValue());
  }

  private static WorkFailure failure(String kind, String code, Duration retryAfter) {
    return switch (kind) {
      case "final" -> new FinalFailure(code, "as the work says");
      case "unknown_effect" -> new UnknownEffect(code, "as the work says");
      default ->
          retryAfter.isZero()
              ? new RetryableFailure(code, "as the work says")
              : new RetryableFailure(code, "as the work says", retryAfter);
    };
  }

  private static void effect(Path file, String line) throws IOException {
    Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private void hold(String latch) {
    event("holds", ", \"latch\": " + KitJson.quoted(latch));
    var isLost = false;
    while (!isOpen(latch)) {
      if (!isLost && held.claim().isLost()) {
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
