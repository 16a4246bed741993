package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.RecoveryOutcome;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.function.Supplier;

/** Calls every rpc of a workspace with secrets wherever they can be, rightly and wrongly. */
final class CanaryCalls {
  /** What a request does with a secret. */
  private enum Use {
    VALID,
    BROKEN,
    TOO_LONG,
    CONTROL
  }

  private final Canaries canaries;
  private final Caller caller;
  private final RunCaller runs;
  private final ClaimCaller claims;
  private final String payload;
  private final String token;

  CanaryCalls(Canaries canaries, Caller caller) {
    this.canaries = canaries;
    this.caller = caller;
    this.runs = new RunCaller(caller);
    this.claims = new ClaimCaller(runs);
    this.payload = canaries.make("payload");
    this.token = canaries.make("token of a hook");
  }

  /** Makes the records that the other calls need. */
  void prepare() {
    runs.define(RunRpc.DEFINITION, RunCaller.task("a"), RunCaller.task("b"));
    claims.declare(ClaimCaller.remote());
    var _ = claims.apply(ClaimCaller.BILLING);
  }

  /** Work that succeeds, fails and is lost. */
  void work() {
    for (var key : List.of("done", "failed", "lost")) {
      var claim = canaries.add(caller.acquire(key));
      switch (key) {
        case "done" -> {
          var _ = caller.complete(claim, Caller.json('"' + payload + '"'));
        }
        case "failed" -> {
          var _ = caller.fail(claim, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
        }
        default -> {}
      }
    }
    var run = runs.send(runs.start(RunRpc.DEFINITION).setInput(Caller.json('"' + payload + '"')));
    var task = canaries.add(runs.poll("worker").getClaim());
    for (var rpc : RunRpc.values()) {
      // what ends the task comes in the order of the rpcs; the rest of them fail
      call(
          () ->
              rpc.raw()
                  .call(caller, planted(rpc.example(runs, run.getRun().getId(), task), Use.VALID)));
    }
    entity();
  }

  private void entity() {
    for (var id : List.of("done", "failed", "recovered")) {
      var _ = claims.approved(id);
      var lease = Caller.millis(id.equals("recovered") ? 100 : 60_000);
      var claim = canaries.add(claims.granted(claims.begin(id).setLease(lease)).getClaim());
      switch (id) {
        case "done" ->
            call(
                () ->
                    claims
                        .entities()
                        .completeAction(
                            claims.completion(claim).toBuilder()
                                .setOutput(Caller.json('"' + payload + '"'))
                                .build()));
        case "failed" ->
            call(() -> claims.fail(claim, ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION));
        default -> {
          var recovery = canaries.add(claims.recovery("module").getClaim());
          call(() -> claims.recover(recovery, RecoveryOutcome.RECOVERY_OUTCOME_REVERT));
          call(() -> claims.complete(claim));
        }
      }
    }
  }

  /** Work that the database rejects. */
  void faults(Runnable breakDatabase) {
    var operation = canaries.add(caller.acquire("fault"));
    var _ = claims.approved("fault");
    var action = canaries.add(claims.claimed("fault"));
    var run = runs.started(RunRpc.DEFINITION);
    var task = canaries.add(runs.poll("worker").getClaim());
    breakDatabase.run();
    call(() -> caller.complete(operation, Caller.json('"' + payload + '"')));
    call(() -> runs.complete(task, '"' + payload + '"'));
    call(
        () ->
            claims
                .entities()
                .completeAction(
                    claims.completion(action).toBuilder()
                        .setOutput(Caller.json('"' + payload + '"'))
                        .build()));
    for (var rpc : List.of(RunRpc.START, RunRpc.SIGNAL, RunRpc.CREATE_HOOK)) {
      call(() -> rpc.raw().call(caller, planted(rpc.example(runs, run, task), Use.VALID)));
    }
  }

  /** Every rpc with secrets in the wrong form. */
  void mistakes() {
    var claim =
        Claim.newBuilder().setId("op_" + canaries.make("claim that no server made")).build();
    for (var use : Use.values()) {
      for (var rpc : Rpc.values()) {
        call(() -> rpc.call(caller, planted(rpc.example(caller, "key", claim), use)));
      }
      for (var rpc : RunRpc.values()) {
        call(() -> rpc.raw().call(caller, planted(rpc.example(runs, "no-run", claim), use)));
      }
      for (var rpc : ClaimRpc.values()) {
        call(() -> rpc.raw().call(caller, planted(rpc.example(claims, claim), use)));
      }
    }
    for (var rpc : RunRpc.values()) {
      // a text field with bytes that are no text
      var bytes = ByteString.copyFromUtf8("\n\u0005" + payload).concat(ByteString.fromHex("fffe"));
      call(() -> rpc.raw().call(caller, bytes.toByteArray()));
    }
  }

  /** Calls, whatever comes of it: the errors are collected elsewhere. */
  static void call(Supplier<?> call) {
    try {
      var _ = call.get();
    } catch (StatusRuntimeException _) {
      // searched as well
    }
  }

  private byte[] planted(Message.Builder request, Use use) {
    plant(request, use);
    return request.build().toByteArray();
  }

  private void plant(Message.Builder to, Use use) {
    for (var field : to.getDescriptorForType().getFields()) {
      if (field.isRepeated()) {
        continue;
      }
      switch (field.getJavaType()) {
        case STRING, BYTE_STRING -> plantText(to, field, use);
        case MESSAGE -> {
          if (to.hasField(field) || (isSecret(field) && field.getContainingOneof() == null)) {
            plant(to.getFieldBuilder(field), use);
          }
        }
        case INT, LONG, FLOAT, DOUBLE, BOOLEAN, ENUM -> {}
      }
    }
  }

  private static boolean isSecret(FieldDescriptor field) {
    var type = field.getMessageType().getName();
    return type.equals("Payload") || type.equals("Failure");
  }

  private void plantText(Message.Builder to, FieldDescriptor field, Use use) {
    switch (field.getFullName()) {
      case "hapax.v1.Payload.json" -> to.setField(field, json(use));
      case "hapax.v1.Failure.message" -> to.setField(field, text(payload, use));
      case "hapax.v1.Failure.code" -> to.setField(field, "DECLINED");
      case "hapax.v1.Claim.id" -> {
        if (use != Use.VALID) {
          to.setField(field, text("task_" + payload, use));
        }
      }
      default -> {
        if (field.getName().equals("token")) {
          to.setField(field, text(token, use));
        } else if (field.getName().equals("fingerprint")) {
          to.setField(field, ByteString.copyFromUtf8(text(payload, use)));
        }
      }
    }
  }

  private String json(Use use) {
    return switch (use) {
      case VALID -> '"' + payload + '"';
      case BROKEN -> "{\"a\": " + payload;
      case TOO_LONG -> "\"" + payload.repeat(2_000) + "\\";
      case CONTROL -> "\"" + payload + "\u0001\"";
    };
  }

  private static String text(String secret, Use use) {
    return switch (use) {
      case VALID, BROKEN -> secret;
      case TOO_LONG -> secret.repeat(300);
      case CONTROL -> secret + "\n";
    };
  }
}
