package dev.hapax.examples;

import dev.hapax.client.Codec;
import dev.hapax.client.Handler;
import dev.hapax.client.Hapax;
import dev.hapax.client.HookRequest;
import dev.hapax.client.Owner;
import dev.hapax.client.Run;
import dev.hapax.client.Task;
import dev.hapax.client.TaskHook;
import dev.hapax.client.Value;
import dev.hapax.v1.RunStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * One order, triggered twice: the run that owns the token {@code order/ID} processes it, and each of
 * these code steps lets the duplicate do something else. The policy is plain code; where the start
 * itself can decide, {@link dev.hapax.client.StartOptions#hook} needs no second run at all.
 */
public final class ProcessOrder {
  private final Hapax hapax;
  private final Payments payments;

  /** Charges an order; the id is the same on every attempt. */
  public interface Payments {
    void charge(String idempotencyKey, String order);
  }

  public ProcessOrder(Hapax hapax, Payments payments) {
    this.hapax = hapax;
    this.payments = payments;
  }

  private static String token(Task task) {
    return "order/" + task.input(Codec.jsonText());
  }

  private static TaskHook<String> own(Task task) {
    return task.hook(HookRequest.of(token(task)), Codec.jsonText());
  }

  /** The owner waits to be told, and charges. */
  private Value process(Task task, TaskHook<String> request) {
    if (!request.await().equals("true")) {
      return text("cancelled");
    }
    String order = task.input(Codec.jsonText());
    task.record("charge", partId -> payments.charge(partId, order));
    return text("processed");
  }

  /** Reject the duplicate: it names the owner and does nothing. */
  public Handler rejecting() {
    return task -> {
      try (var request = own(task)) {
        Optional<Owner> conflict = request.conflict();
        return conflict.isPresent()
            ? text("duplicate of " + conflict.get().runId())
            : process(task, request);
      }
    };
  }

  /** Adopt the owner's result: callers cannot tell which run did the work. */
  public Handler adopting() {
    return task -> {
      try (var request = own(task)) {
        Optional<Owner> conflict = request.conflict();
        return conflict.isPresent()
            ? text(
                task.record(
                    "adopt",
                    Codec.text(),
                    partId ->
                        hapax
                            .runs()
                            .result(conflict.get().runId(), Codec.text(), Duration.ofMinutes(5))))
            : process(task, request);
      }
    };
  }

  /** Inspect the owner before deciding; a duplicate never falls through to the work. */
  public Handler inspecting() {
    return task -> {
      try (var request = own(task)) {
        Optional<Owner> conflict = request.conflict();
        if (conflict.isEmpty()) {
          return process(task, request);
        }
        return text(
            task.record(
                "inspect",
                Codec.text(),
                partId -> {
                  Run owner = hapax.runs().get(conflict.get().runId());
                  return owner.status() == RunStatus.RUN_STATUS_WAITING
                      ? owner.id() + " waits for its confirmation"
                      : owner.id() + " is at " + owner.currentStep();
                }));
      }
    };
  }

  /** Signal the owner instead of doing the work: what the duplicate was started with reaches it. */
  public Handler signalling() {
    return task -> {
      try (var request = own(task)) {
        Optional<Owner> conflict = request.conflict();
        if (conflict.isEmpty()) {
          return process(task, request);
        }
        Value confirmation = new Value.Json("true");
        // the part's id: sent again, it is the same signal
        task.record(
            "forward", partId -> hapax.hooks().signal(token(task), "", confirmation, partId));
        return text("forwarded to " + conflict.get().runId());
      }
    };
  }

  /** Supersede the owner: the newest run wins, in one transaction and without a retry loop. */
  public Handler superseding() {
    return task -> {
      HookRequest newest = HookRequest.of(token(task)).supersede();
      try (var request = task.hook(newest, Codec.jsonText())) {
        return process(task, request);
      }
    };
  }

  private static Value text(String text) {
    return new Value.Bytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
