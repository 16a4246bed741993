package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.DisposeHookResponse;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Step;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a task and its branches share in one execution. */
final class Execution {

  private static final Logger log = LoggerFactory.getLogger(Execution.class);

  private final Tasks tasks;
  private final dev.hapax.v1.Task message;
  private final Claim claim;
  private final StatePatch patch = new StatePatch();
  private final PartReports reports;
  private final KnownParts known;
  private final Task task;
  private final Queue<String> disposals = new ConcurrentLinkedQueue<>();

  // guarded by this
  private int running;
  private boolean hasEnded;
  private final CompletableFuture<@Nullable Void> partsEnded = new CompletableFuture<>();

  Execution(Tasks tasks, dev.hapax.v1.Task message, Claim claim) {
    this.tasks = tasks;
    this.message = message;
    this.claim = claim;
    this.reports = new PartReports(tasks.connection(), claim, patch);
    this.known = new KnownParts(message, reports);
    this.task = new Task(this, "", null);
  }

  /** Runs the handler to the end of this execution. */
  Result run(Handler handler) throws Exception {
    Object value;
    try {
      try {
        value = handler.handle(task);
      } finally {
        awaitParts();
      }
    } catch (Throwable thrown) {
      ExecutionEnd end = task.ending().chosen();
      if (end == null) {
        throw thrown;
      }
      if (!(thrown instanceof EndExecution)) {
        log.warn("the handler replaced the error that ends its execution, which ends", thrown);
      }
      return ended(end);
    }
    ExecutionEnd end = task.ending().chosen();
    if (end != null) {
      log.warn("the handler caught the error that ends its execution; its result is dropped");
      return ended(end);
    }
    List<String> leftOver = known.leftOver();
    if (!leftOver.isEmpty()) {
      log.info("run {} ends without the records {}", message.getRun().getId(), leftOver);
    }
    dispose();
    Result result = result(value);
    return result.end() == null ? result.statePatch(patch.left()) : result;
  }

  private Result ended(ExecutionEnd end) throws TaskVerdict.FailedExecution {
    if (end instanceof ExecutionEnd.Failing failing) {
      throw new TaskVerdict.FailedExecution(failing.verdict(), failing.cause());
    }
    return Result.of(end).statePatch(patch.left());
  }

  /** The result of a handler that returned this. */
  Result result(@Nullable Object value) {
    return value instanceof Result result
        ? result
        : Result.of(stored("step " + message.getStep().getName(), Codec.ofAny(), value));
  }

  /**
   * Returns what Hapax stores of a value.
   *
   * @param what has this value, for the failure
   * @throws FinalFailure RESULT_REFUSED if it cannot be stored
   */
  <T extends @Nullable Object> @Nullable Value stored(String what, Codec<T> codec, T value) {
    try {
      Value stored = codec.write(value, tasks.connection().json());
      int bytes = Payloads.bytes(Payloads.of(stored));
      if (bytes > Payloads.MAX_BYTES) {
        throw new IllegalArgumentException(
            "it has %d bytes and may have %d".formatted(bytes, Payloads.MAX_BYTES));
      }
      return stored;
    } catch (RuntimeException unfit) {
      throw new FinalFailure(
          "RESULT_REFUSED",
          what + " was done, but its result cannot be stored: " + unfit.getMessage(),
          unfit);
    }
  }

  Connection connection() {
    return tasks.connection();
  }

  Task task() {
    return task;
  }

  Tasks tasks() {
    return tasks;
  }

  dev.hapax.v1.Task message() {
    return message;
  }

  Claim claim() {
    return claim;
  }

  KnownParts known() {
    return known;
  }

  PartReports reports() {
    return reports;
  }

  StatePatch patch() {
    return patch;
  }

  Timing timing() {
    return tasks.connection().calls().timing();
  }

  /** By the clock of the worker, or else that of Hapax. */
  Instant now() {
    Clock clock = tasks.clock();
    Step step = message.getStep();
    if (clock == null && step.hasLeaseUntil()) {
      return claim.lease().timeOfHapax(ProtoTimes.toJava(step.getLeaseUntil()));
    }
    return clock == null ? Instant.now() : clock.instant();
  }

  /**
   * Checks that the code fits the records, before it begins something new.
   *
   * @throws EndExecution if it does not fit, and another worker is to continue
   */
  void checkFits(PartScope scope, ExecutionEnding ending, String next) {
    List<String> leftOver = known.leftOver(scope.prefix());
    if (leftOver.isEmpty()) {
      return;
    }
    ExecutionEnd end = tasks.codeChanges().found(message.getRun().getId(), leftOver, next);
    if (end != null) {
      throw ending.choose(end);
    }
  }

  /**
   * Begins a part. The execution ends after it: otherwise its result could not be recorded, and it
   * would run again.
   *
   * @throws IllegalStateException if the execution has ended
   */
  synchronized void beginPart() {
    if (hasEnded) {
      throw new IllegalStateException(
          "the handler has ended: no part may begin; join its threads before it returns");
    }
    running++;
  }

  synchronized void endPart() {
    running--;
    completeIfEnded();
  }

  /** Allows no more parts, and waits for the running ones unless Hapax has reported the loss. */
  private void awaitParts() {
    synchronized (this) {
      hasEnded = true;
      completeIfEnded();
    }
    var unused = CompletableFuture.anyOf(partsEnded, claim.lease().revocation()).join();
  }

  private void completeIfEnded() {
    if (hasEnded && running == 0) {
      partsEnded.complete(null);
    }
  }

  /**
   * Checks that no part is running.
   *
   * @throws IllegalStateException if a part is running
   */
  synchronized void checkNoPart() {
    if (running > 0) {
      throw new IllegalStateException(
          running + " parts of the step are running; complete the task after they have ended");
    }
  }

  /** Requests a token for the run, under the claim. */
  CreateHookResponse createHook(HookRequest hook) {
    claim.throwIfRevoked();
    CreateHookRequest request =
        CreateHookRequest.newBuilder()
            .setWorkspace(connection().workspace())
            .setRunId(message.getRun().getId())
            .setClaim(claim.message())
            .setToken(hook.token())
            .setName(hook.name())
            .setRetention(ProtoTimes.toProto(hook.retention()))
            .setOnConflict(hook.onConflict())
            .setExpectedOwner(hook.expectedOwner())
            .build();
    CreateHookResponse response;
    try {
      response =
          connection().record(request, CreateHookResponse.getDefaultInstance(), claim).message();
    } catch (HapaxException.Refused refused) {
      throw PartReports.refusal(refused, "the hook was not created");
    }
    if (response.hasClaimLost()) {
      claim.lease().revoke(response.getClaimLost().getReason());
    }
    claim.throwIfRevoked();
    return response;
  }

  void disposeLater(String token) {
    disposals.add(token);
  }

  /**
   * Frees the tokens of closed hooks. An execution that waits or fails keeps those that it closes
   * on its way out.
   */
  void dispose() {
    for (String token = disposals.poll(); token != null; token = disposals.poll()) {
      dispose(token);
    }
  }

  private void dispose(String token) {
    DisposeHookRequest request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(connection().workspace())
            .setRunId(message.getRun().getId())
            .setToken(token)
            .build();
    try {
      var unused = connection().record(request, DisposeHookResponse.getDefaultInstance(), claim);
    } catch (HapaxException.Refused refused) {
      boolean isFree =
          refused.reason() == ErrorReason.ERROR_REASON_HOOK_NOT_FOUND
              || refused.reason() == ErrorReason.ERROR_REASON_HOOK_CONFLICT;
      if (!isFree) {
        throw PartReports.refusal(refused, "the hook was not disposed");
      }
    }
  }
}
