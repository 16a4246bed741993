package dev.hapax.bootstrap.kit;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.ControlOptions;
import dev.hapax.client.Fingerprint;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.RunSignal;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.claim.ActionRequest;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.EntityKey;
import dev.hapax.client.claim.RecoveryVerdict;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.operation.OperationPolicy;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.worker.OnCodeChange;
import dev.hapax.v1.StartRunResponse;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The contract program of the Java client. */
final class JavaContract {
  private static final Duration DRAIN = Duration.ofMinutes(1);

  private final HapaxClient client;
  private final Hapax hapax;
  private final Path ledger = Path.of(variable("CONTRACT_LEDGER"));
  private final Map<String, CountDownLatch> latches = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Runnable> loops = new ConcurrentLinkedQueue<>();

  private JavaContract() {
    var channel = TestAccess.channel(variable("HAPAX_SERVER")).build();
    var workspace = variable("CONTRACT_WORKSPACE");
    // the proxy loses the answers of unary calls
    var options = ClientOptions.DEFAULT.withWorkspace(workspace).withStreams(false);
    this.client = HapaxClient.on(channel, options);
    this.hapax = Hapax.builder().channel(channel).workspace(workspace).connect();
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

  /** The word of the contract for an exception. */
  static String kind(Exception thrown) {
    if (thrown instanceof WorkFailure failure) {
      return switch (failure.kind()) {
        case RETRYABLE -> "RetryableFailure";
        case FINAL -> "FinalFailure";
        case UNKNOWN_EFFECT -> "UnknownEffect";
      };
    }
    return thrown.getClass().getSimpleName().replaceFirst("Exception$", "");
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
              .result(KitJson.text(command, "run_id"), PayloadCodec.json(), millis(command, "at_most_ms"));
      case "cancel" ->
          status(
              client
                  .runs()
                  .cancel(KitJson.text(command, "run_id"), ControlOptions.because("contract"))
                  .run()
                  .getStatus());
      case "signal_run" ->
          status(client.runs().signal(KitJson.text(command, "run_id"), signal(command)));
      case "signal_hook" ->
          status(
              client
                  .hooks()
                  .signal(KitJson.text(command, "token"), signal(command))
                  .getDisposition());
      case "create_hook" ->
          client
              .hooks()
              .create(
                  KitJson.text(command, "run_id"), HookRequest.of(KitJson.text(command, "token")))
              .conflict()
              .map(owner -> KitJson.quoted(owner.runId()))
              .orElse("null");
      case "hook_owner" ->
          KitJson.quoted(client.hooks().get(KitJson.text(command, "token")).getRunId());
      case "create_entity" ->
          KitJson.quoted(
              client
                  .entities()
                  .create(entity(command), KitJson.text(command, "status"))
                  .getEntity()
                  .getStatus());
      case "act" -> act(command);
      case "work" -> work(command);
      case "janitor" -> janitor(command);
      case "serve" -> {
        var port =
            JavaPayServlet.serve(
                hapax,
                work(command, "work"),
                (held, key, parts) -> new JavaWork(this, ledger, held, key).begin().run(parts));
        yield "{\"servlet\": " + port + "}";
      }
      case "serve_grpc" -> {
        var parts = work(command, "work");
        yield String.valueOf(
            JavaEntityService.serve(
                hapax, (held, id) -> new JavaWork(this, ledger, held, id).begin().run(parts)));
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

  private @Nullable String once(Struct command) throws Exception {
    var policy = OperationPolicy.DEFAULT;
    if (has(command, "lease_ms")) {
      policy = policy.withLease(millis(command, "lease_ms"));
    }
    if (has(command, "wait_ms")) {
      policy = policy.withMaxWait(millis(command, "wait_ms"));
    }
    var requestId = KitJson.text(command, "request_id");
    var input = KitJson.print(command.getFieldsOrDefault("input", Value.getDefaultInstance()));
    var request =
        OperationRequest.of(KitJson.text(command, "operation"), requestId)
            .withAccount(KitJson.text(command, "account"))
            .withFingerprint(Fingerprint.of(input.getBytes(StandardCharsets.UTF_8)))
            .withPolicy(policy);
    var outcome =
        client
            .operations()
            .execute(
                request,
                PayloadCodec.json(),
                operation ->
                    new JavaWork(this, ledger, JavaWork.Held.of(operation), requestId)
                        .begin()
                        .run(work(command, "work")));
    return outcome.orThrow();
  }

  private static List<Value> work(Struct command, String field) {
    return command.getFieldsOrThrow(field).getListValue().getValuesList();
  }

  private String start(Struct command) {
    var request = RunRequest.of(KitJson.text(command, "definition"));
    if (has(command, "idempotency_key")) {
      request = request.withKey(KitJson.text(command, "idempotency_key"));
    }
    if (has(command, "input")) {
      request = request.withInput(PayloadCodec.json(), KitJson.print(command.getFieldsOrThrow("input")));
    }
    if (has(command, "hook")) {
      request = request.withHook(hook(command.getFieldsOrThrow("hook").getStructValue()));
    }
    if (has(command, "signal")) {
      request = request.withSignal(signal(command.getFieldsOrThrow("signal").getStructValue()));
    }
    var started = startIn(KitJson.text(command, "span"), request);
    return "{\"run_id\": %s, \"disposition\": %s, \"owner\": %s}"
        .formatted(
            started.hasRun() ? KitJson.quoted(started.getRun().getId()) : "null",
            status(started.getDisposition()),
            started.hasOwner() ? KitJson.quoted(started.getOwner().getRunId()) : "null");
  }

  private StartRunResponse startIn(String traceparent, RunRequest request) {
    try (var _ = span(traceparent).makeCurrent()) {
      return client.runs().start(request);
    }
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
    var hook = HookRequest.of(KitJson.text(fields, "token")).withName(KitJson.text(fields, "name"));
    if (has(fields, "retention_ms")) {
      hook = hook.withRetention(millis(fields, "retention_ms"));
    }
    var owner = KitJson.text(fields, "expected_owner");
    return switch (KitJson.text(fields, "on_conflict")) {
      case "USE_EXISTING" -> hook.usingExisting();
      case "SIGNAL_EXISTING" -> hook.signallingExisting();
      case "SUPERSEDE" -> owner.isEmpty() ? hook.superseding() : hook.superseding(owner);
      default -> hook;
    };
  }

  private static RunSignal signal(Struct fields) {
    var signal = RunSignal.of(KitJson.text(fields, "type"));
    if (has(fields, "signal_id")) {
      signal = signal.withId(KitJson.text(fields, "signal_id"));
    }
    return has(fields, "payload")
        ? signal.withPayload(PayloadCodec.json(), KitJson.print(fields.getFieldsOrThrow("payload")))
        : signal;
  }

  private static EntityKey entity(Struct command) {
    return EntityKey.of(KitJson.text(command, "lifecycle"), KitJson.text(command, "entity_id"));
  }

  private @Nullable String act(Struct command) throws Exception {
    var request =
        ActionRequest.of(
            entity(command), KitJson.text(command, "step"), KitJson.text(command, "requester"));
    if (has(command, "lease_ms")) {
      request = request.withLease(millis(command, "lease_ms"));
    }
    if (has(command, "wait_ms")) {
      request = request.withMaxWait(millis(command, "wait_ms"));
    }
    return client
        .claims()
        .<@Nullable String, Exception>run(
            request,
            action ->
                ActionResult.success(
                    new JavaWork(this, ledger, JavaWork.Held.of(action), entity(command).id())
                        .begin()
                        .run(work(command, "work"))))
        .orThrow();
  }

  private String work(Struct command) {
    var builder =
        client
            .newWorker()
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
      builder.workflow(
          KitJson.text(command, "queue"),
          KitJson.text(command, "definition"),
          step,
          PayloadCodec.json(),
          context ->
              new JavaWork(this, ledger, JavaWork.Held.of(context), context.task().stepId())
                  .beginStep()
                  .runToEnd(parts));
    }
    var worker = builder.start();
    loops.add(() -> worker.stop(DRAIN).join());
    return "\"started\"";
  }

  private String janitor(Struct command) {
    var janitor =
        client
            .newRemoteJanitor(KitJson.text(command, "module"))
            .start(
                recovery -> {
                  var fence = String.valueOf(recovery.getLost().getFence());
                  try (var lines = Files.lines(ledger)) {
                    return lines.anyMatch(line -> line.split(" ", -1)[1].equals(fence))
                        ? RecoveryVerdict.COMPLETE
                        : RecoveryVerdict.REVERT;
                  }
                });
    loops.add(() -> janitor.stop(DRAIN).join());
    return "\"started\"";
  }

  /** An enum without its prefix: the words that all its values begin with. */
  private static String status(Enum<?> value) {
    var unspecified = value.getDeclaringClass().getEnumConstants()[0].name();
    var prefix = unspecified.replaceFirst("UNSPECIFIED$", "");
    return KitJson.quoted(value.name().replaceFirst("^" + prefix, ""));
  }
}
