package dev.hapax.bootstrap.kit;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.client.Action;
import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.HookRequest;
import dev.hapax.client.Limit;
import dev.hapax.client.OnCodeChange;
import dev.hapax.client.Operation;
import dev.hapax.client.SignalRequest;
import dev.hapax.client.StartOptions;
import dev.hapax.client.Started;
import dev.hapax.client.Verdict;
import dev.hapax.client.Workflow;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.QueueFull;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The contract program of the Java client. */
final class JavaContract {
  private static final Duration DRAIN = Duration.ofMinutes(1);

  private final Hapax client;
  private final Path ledger = Path.of(variable("CONTRACT_LEDGER"));
  private final Map<String, CountDownLatch> latches = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Runnable> loops = new ConcurrentLinkedQueue<>();

  private JavaContract() {
    this.client =
        Hapax.builder()
            .workspace(variable("CONTRACT_WORKSPACE"))
            // the proxy loses the answers of unary calls
            .streams(false)
            .connect();
  }

  private static String variable(String name) {
    return System.getenv().getOrDefault(name, "");
  }

  public static void main(String[] arguments) throws IOException {
    var program = new JavaContract();
    Runtime.getRuntime().addShutdownHook(new Thread(program::drain));
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      var command = KitJson.parse(line);
      var _ = Thread.startVirtualThread(() -> program.answer(command));
    }
    Runtime.getRuntime().halt(0);
  }

  private void drain() {
    KitJson.say("\"event\": \"stopping\"");
    loops.forEach(Runnable::run);
    // of a signal the code would be 143
    Runtime.getRuntime().halt(0);
  }

  private void answer(Struct command) {
    var id = KitJson.text(command, "id");
    try {
      KitJson.say("\"id\": %s, \"value\": %s".formatted(id, value(command)));
    } catch (Exception e) {
      KitJson.say(
          "\"id\": %s, \"error\": {\"kind\": \"%s\", \"reason\": \"\", \"message\": %s}"
              .formatted(id, kind(e), KitJson.quoted(String.valueOf(e.getMessage()))));
    }
  }

  /** The word of the contract for an exception: {@code KeyReused} for KEY_REUSED. */
  static String kind(Exception thrown) {
    return thrown instanceof HapaxException failure
        ? Arrays.stream(failure.kind().name().split("_"))
            .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
            .collect(Collectors.joining())
        : thrown.getClass().getSimpleName();
  }

  static dev.hapax.client.Value json(Value value) {
    return new dev.hapax.client.Value.Json(KitJson.print(value));
  }

  /** The JSON text of the value. */
  private @Nullable String value(Struct command) throws Exception {
    return switch (KitJson.text(command, "do")) {
      case "vectors" -> JavaVectors.values(Path.of(KitJson.text(command, "file")));
      case "once" -> once(command);
      case "start" -> start(command);
      case "result" ->
          client
              .runs()
              .result(
                  KitJson.text(command, "run_id"), Codec.jsonText(), millis(command, "at_most_ms"));
      case "cancel" ->
          status(client.runs().cancel(KitJson.text(command, "run_id"), "contract").run().status());
      case "signal_run" ->
          status(
              client
                  .runs()
                  .signal(
                      KitJson.text(command, "run_id"),
                      KitJson.text(command, "type"),
                      payload(command),
                      KitJson.text(command, "signal_id")));
      case "signal_hook" ->
          status(
              client
                  .hooks()
                  .signal(
                      KitJson.text(command, "token"),
                      KitJson.text(command, "type"),
                      payload(command),
                      KitJson.text(command, "signal_id")));
      case "create_hook" ->
          client
              .hooks()
              .create(
                  KitJson.text(command, "run_id"), HookRequest.of(KitJson.text(command, "token")))
              .conflict()
              .map(owner -> KitJson.quoted(owner.runId()))
              .orElse("null");
      case "hook_owner" ->
          KitJson.quoted(client.hooks().get(KitJson.text(command, "token")).runId());
      case "create_entity" ->
          KitJson.quoted(
              client
                  .entities()
                  .create(
                      KitJson.text(command, "lifecycle"),
                      KitJson.text(command, "entity_id"),
                      KitJson.text(command, "status"))
                  .status());
      case "act" -> act(command);
      case "work" -> work(command);
      case "workflow" -> workflow(command);
      case "set_limit" ->
          String.valueOf(
              client
                  .limits()
                  .set(
                      KitJson.text(command, "name"),
                      limit ->
                          limit
                              .key(KitJson.text(command, "key"))
                              .maxRunning(number(command, "max_running"))));
      case "remove_limit" ->
          String.valueOf(
              client
                  .limits()
                  .remove(
                      KitJson.text(command, "name"),
                      limit -> limit.key(KitJson.text(command, "key"))));
      case "list_limits" ->
          client
              .limits()
              .list(KitJson.text(command, "name"))
              .map(JavaContract::limit)
              .toList()
              .toString();
      case "janitor" -> janitor(command);
      case "serve" -> {
        var port =
            JavaPayServlet.serve(
                client,
                work(command, "work"),
                (held, key, parts) -> new JavaWork(this, ledger, held, key).begin().run(parts));
        yield "{\"servlet\": " + port + "}";
      }
      case "serve_grpc" -> {
        var parts = work(command, "work");
        yield String.valueOf(
            JavaEntityService.serve(
                client, (held, id) -> new JavaWork(this, ledger, held, id).begin().run(parts)));
      }
      case "open" -> {
        latch(KitJson.text(command, "latch")).countDown();
        yield "\"opened\"";
      }
      default -> throw new IllegalArgumentException("unknown command " + command);
    };
  }

  CountDownLatch latch(String name) {
    return latches.computeIfAbsent(name, _ -> new CountDownLatch(1));
  }

  private static Duration millis(Struct command, String field) {
    return Duration.ofMillis((long) command.getFieldsOrThrow(field).getNumberValue());
  }

  private static boolean has(Struct command, String field) {
    return command.containsFields(field);
  }

  private String once(Struct command) throws Exception {
    var requestId = KitJson.text(command, "request_id");
    var operation =
        Operation.of(KitJson.text(command, "operation"), requestId)
            .account(KitJson.text(command, "account"));
    if (has(command, "input")) {
      operation = operation.input(json(command.getFieldsOrThrow("input")));
    }
    if (has(command, "lease_ms")) {
      operation = operation.lease(millis(command, "lease_ms"));
    }
    if (has(command, "wait_ms")) {
      operation = operation.wait(millis(command, "wait_ms"));
    }
    return client.once(
        operation,
        Codec.jsonText(),
        claim ->
            new JavaWork(this, ledger, JavaWork.Held.of(claim), requestId)
                .begin()
                .run(work(command, "work")));
  }

  private static List<Value> work(Struct command, String field) {
    return command.getFieldsOrThrow(field).getListValue().getValuesList();
  }

  private String start(Struct command) {
    var started = startIn(KitJson.text(command, "span"), command);
    var message = started.message();
    return "{\"run_id\": %s, \"output\": %s, \"disposition\": %s, \"owner\": %s, \"runs_ahead\": %s, \"superseded\": %s}"
        .formatted(
            message.hasRun() ? KitJson.quoted(message.getRun().getId()) : "null",
            message.getRun().hasOutput() ? message.getRun().getOutput().getJson() : "null",
            KitJson.quoted(started.disposition()),
            started.owner().map(owner -> KitJson.quoted(owner.runId())).orElse("null"),
            started instanceof Started.Queued queued ? queued.runsAhead() : 0,
            started instanceof Started.Queued queued
                ? queued.supersededRunIds().stream().map(KitJson::quoted).toList()
                : "[]");
  }

  private Started startIn(String traceparent, Struct command) {
    try (var _ = span(traceparent).makeCurrent()) {
      return client
          .runs()
          .start(KitJson.text(command, "definition"), options -> options(command, options));
    }
  }

  private static StartOptions options(Struct command, StartOptions options) {
    var changed = options.key(KitJson.text(command, "idempotency_key"));
    if (has(command, "wait_ms")) {
      changed = changed.wait(millis(command, "wait_ms"));
    }
    if (KitJson.text(command, "on_key_mismatch").equals("RESTART_FAILED")) {
      changed = changed.restartFailed();
    }
    if (has(command, "input")) {
      changed = changed.input(json(command.getFieldsOrThrow("input")));
    }
    if (has(command, "hook")) {
      changed = changed.hook(hook(command.getFieldsOrThrow("hook").getStructValue()));
    }
    return has(command, "signal")
        ? changed.signal(signal(command.getFieldsOrThrow("signal").getStructValue()))
        : changed;
  }

  /** The span of a header {@code traceparent}; not valid if it is empty. */
  private static Span span(String traceparent) {
    var parts = traceparent.split("-", -1);
    return parts.length == 4
        ? Span.wrap(
            SpanContext.createFromRemoteParent(
                parts[1], parts[2], TraceFlags.fromHex(parts[3], 0), TraceState.getDefault()))
        : Span.getInvalid();
  }

  private static HookRequest hook(Struct fields) {
    var hook = HookRequest.of(KitJson.text(fields, "token")).name(KitJson.text(fields, "name"));
    if (has(fields, "retention_ms")) {
      hook = hook.retention(millis(fields, "retention_ms"));
    }
    var owner = KitJson.text(fields, "expected_owner");
    return switch (KitJson.text(fields, "on_conflict")) {
      case "USE_EXISTING" -> hook.useExisting();
      case "SIGNAL_EXISTING" -> hook.signalExisting();
      case "SUPERSEDE" -> owner.isEmpty() ? hook.supersede() : hook.supersede(owner);
      case "QUEUE" -> queue(hook, fields);
      default -> hook;
    };
  }

  private static HookRequest queue(HookRequest hook, Struct fields) {
    var limit = has(fields, "queue_limit") ? number(fields, "queue_limit") : 0;
    return has(fields, "queue_full")
        ? hook.queue(limit, QueueFull.valueOf("QUEUE_FULL_" + KitJson.text(fields, "queue_full")))
        : hook.queue(limit);
  }

  private static SignalRequest signal(Struct fields) {
    return SignalRequest.of(KitJson.text(fields, "type"))
        .id(KitJson.text(fields, "signal_id"))
        .payload(payload(fields));
  }

  private static dev.hapax.client.@Nullable Value payload(Struct fields) {
    return has(fields, "payload") ? json(fields.getFieldsOrThrow("payload")) : null;
  }

  private String act(Struct command) throws Exception {
    var id = KitJson.text(command, "entity_id");
    var action =
        Action.of(
            KitJson.text(command, "lifecycle"),
            id,
            KitJson.text(command, "step"),
            KitJson.text(command, "requester"));
    if (has(command, "lease_ms")) {
      action = action.lease(millis(command, "lease_ms"));
    }
    if (has(command, "wait_ms")) {
      action = action.wait(millis(command, "wait_ms"));
    }
    return client
        .entities()
        .tryAct(
            action,
            Codec.jsonText(),
            claim ->
                new JavaWork(this, ledger, JavaWork.Held.of(claim), id)
                    .begin()
                    .run(work(command, "work")))
        .orThrow();
  }

  private String work(Struct command) {
    var builder =
        client
            .worker()
            .concurrency(
                (int)
                    command
                        .getFieldsOrDefault(
                            "concurrency", Value.newBuilder().setNumberValue(10).build())
                        .getNumberValue());
    var onCodeChange = KitJson.text(command, "on_code_change");
    if (!onCodeChange.isEmpty()) {
      builder.onCodeChange(OnCodeChange.valueOf(onCodeChange.toUpperCase(Locale.ROOT)));
    }
    var steps = command.getFieldsOrThrow("steps").getStructValue();
    for (var step : steps.getFieldsMap().keySet()) {
      var parts = work(steps, step);
      builder.step(
          KitJson.text(command, "queue"),
          KitJson.text(command, "definition"),
          step,
          task ->
              new dev.hapax.client.Value.Json(
                  new JavaWork(this, ledger, JavaWork.Held.of(task), task.stepId())
                      .beginStep()
                      .runToEnd(parts)));
    }
    var worker = builder.start();
    loops.add(() -> worker.drain(DRAIN));
    return "\"started\"";
  }

  private String workflow(Struct command) {
    var parts = work(command, "work");
    var workflow =
        Workflow.of(
                KitJson.text(command, "definition"),
                KitJson.text(command, "queue"),
                Codec.jsonText(),
                Codec.jsonText(),
                (task, _) ->
                    new JavaWork(this, ledger, JavaWork.Held.of(task), task.stepId())
                        .beginStep()
                        .runToEnd(parts))
            .limits(
                work(command, "limits").stream()
                    .map(limit -> limit(limit.getStructValue()))
                    .toArray(Limit[]::new));
    var worker = client.worker().add(workflow).start();
    loops.add(() -> worker.drain(DRAIN));
    return "\"started\"";
  }

  private static Limit limit(Struct fields) {
    return Limit.of(KitJson.text(fields, "name"))
        .input(KitJson.text(fields, "input"))
        .maxRunning(number(fields, "max_running"));
  }

  private static String limit(LimitState state) {
    return "{\"key\": %s, \"max_running\": %s, \"running\": %s, \"waiting\": %s}"
        .formatted(
            KitJson.quoted(state.getKey()),
            state.getMaxRunning(),
            state.getRunning(),
            state.getWaiting());
  }

  private static int number(Struct fields, String name) {
    return (int) fields.getFieldsOrThrow(name).getNumberValue();
  }

  private String janitor(Struct command) {
    var janitor =
        client
            .janitor(KitJson.text(command, "module"))
            .start(
                recovery -> {
                  var fence = String.valueOf(recovery.lostFence());
                  try (var lines = Files.lines(ledger)) {
                    return lines.anyMatch(line -> line.split(" ", -1)[1].equals(fence))
                        ? Verdict.COMPLETE
                        : Verdict.REVERT;
                  }
                });
    loops.add(() -> janitor.drain(DRAIN));
    return "\"started\"";
  }

  /** An enum without its prefix: the words that all its values begin with. */
  private static String status(Enum<?> value) {
    var unspecified = value.getDeclaringClass().getEnumConstants()[0].name();
    var prefix = unspecified.replaceFirst("UNSPECIFIED$", "");
    return KitJson.quoted(value.name().replaceFirst("^" + prefix, ""));
  }
}
