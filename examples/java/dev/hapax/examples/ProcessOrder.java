package dev.hapax.examples;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.RunSignal;
import dev.hapax.client.hook.HookOwner;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.hook.Hooks;
import dev.hapax.client.run.Runs;
import dev.hapax.client.worker.Workflow;
import dev.hapax.client.worker.WorkflowContext;
import dev.hapax.client.worker.WorkflowHook;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * One order, triggered twice: the run that owns the token {@code order/ID} processes it, and each of
 * these workflows lets the duplicate do something else. The policy is plain code; where the start
 * itself can decide, {@link dev.hapax.client.run.RunRequest#withHook} needs no second run at all.
 */
public final class ProcessOrder {
  private final Runs runs;
  private final Hooks hooks;
  private final Payments payments;

  /** Charges an order; the id is the same on every attempt. */
  public interface Payments {
    void charge(String idempotencyKey, String order);
  }

  public ProcessOrder(Runs runs, Hooks hooks, Payments payments) {
    this.runs = runs;
    this.hooks = hooks;
    this.payments = payments;
  }

  private static String token(String order) {
    return "order/" + order;
  }

  /** The owner waits to be told, and charges. */
  private String process(WorkflowContext context, WorkflowHook<String> request, String order) {
    if (!request.await().equals("true")) {
      return "cancelled";
    }
    context.record(
        "charge",
        PayloadCodec.none(),
        partId -> {
          payments.charge(partId, order);
          return null;
        });
    return "processed";
  }

  /** Reject the duplicate: it names the owner and does nothing. */
  public Workflow<String> rejecting() {
    return context -> {
      String order = context.input(PayloadCodec.json());
      try (var request = context.hook(HookRequest.of(token(order)), PayloadCodec.json())) {
        Optional<HookOwner> conflict = request.conflict();
        return conflict.isPresent()
            ? "duplicate of " + conflict.get().runId()
            : process(context, request, order);
      }
    };
  }

  /** Adopt the owner's result: callers cannot tell which run did the work. */
  public Workflow<String> adopting() {
    return context -> {
      String order = context.input(PayloadCodec.json());
      try (var request = context.hook(HookRequest.of(token(order)), PayloadCodec.json())) {
        Optional<HookOwner> conflict = request.conflict();
        return conflict.isPresent()
            ? context.record(
                "adopt",
                PayloadCodec.text(),
                partId -> runs.result(conflict.get().runId(), PayloadCodec.text(), Duration.ofMinutes(5)))
            : process(context, request, order);
      }
    };
  }

  /** Inspect the owner before deciding; a duplicate never falls through to the work. */
  public Workflow<String> inspecting() {
    return context -> {
      String order = context.input(PayloadCodec.json());
      try (var request = context.hook(HookRequest.of(token(order)), PayloadCodec.json())) {
        Optional<HookOwner> conflict = request.conflict();
        if (conflict.isEmpty()) {
          return process(context, request, order);
        }
        return context.record(
            "inspect",
            PayloadCodec.text(),
            partId -> {
              Run owner = runs.get(conflict.get().runId());
              return owner.getStatus() == RunStatus.RUN_STATUS_WAITING
                  ? owner.getId() + " waits for its confirmation"
                  : owner.getId() + " is at " + owner.getCurrentStep();
            });
      }
    };
  }

  /** Signal the owner instead of doing the work: what the duplicate was started with reaches it. */
  public Workflow<String> signalling() {
    return context -> {
      String order = context.input(PayloadCodec.json());
      try (var request = context.hook(HookRequest.of(token(order)), PayloadCodec.json())) {
        Optional<HookOwner> conflict = request.conflict();
        return conflict.isPresent()
            ? context.record(
                "forward",
                PayloadCodec.text(),
                partId ->
                    "forwarded to "
                        + hooks
                            .signal(
                                token(order),
                                // the part's id: sent again, it is the same signal
                                RunSignal.of("").withId(partId).withPayload(PayloadCodec.json(), "true"))
                            .getRunId())
            : process(context, request, order);
      }
    };
  }

  /** Supersede the owner: the newest run wins, in one transaction and without a retry loop. */
  public Workflow<String> superseding() {
    return context -> {
      String order = context.input(PayloadCodec.json());
      try (var request = context.hook(HookRequest.of(token(order)).superseding(), PayloadCodec.json())) {
        return process(context, request, order);
      }
    };
  }
}
