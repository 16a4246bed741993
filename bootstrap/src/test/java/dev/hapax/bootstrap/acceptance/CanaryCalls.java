package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Calls every rpc of a workspace with secrets wherever they can be, rightly and wrongly. */
final class CanaryCalls {
  /** What a request does with a secret. */
  private enum Use {
    VALID,
    BROKEN,
    TOO_LONG,
    CONTROL
  }

  private static final RawCall OPERATIONS =
      new RawCall(OperationServiceGrpc.getOperationStreamMethod());
  private static final RawCall STARTS = new RawCall(RunServiceGrpc.getStartRunStreamMethod());
  private static final RawCall WORK = new RawCall(WorkerServiceGrpc.getWorkMethod());

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
  void work() throws InterruptedException {
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
                  .call(caller, request(rpc.example(runs, run.getRun().getId(), task), Use.VALID)));
    }
    entity();
    streams();
  }

  /** Work on streams, which carries secrets both ways. */
  private void streams() throws InterruptedException {
    var run = runs.start(RunRpc.DEFINITION).setInput(Caller.json('"' + payload + '"'));
    var _ = runs.send(run);
    var answers = new Received<WorkResponse>();
    var work = WorkerServiceGrpc.newStub(caller.channel()).work(answers);
    work.onNext(opening().setCredit(1).build());
    var granted = answers.await(answer -> answer.getTasksCount() > 0).getTasks(0);
    var task = canaries.add(granted.getClaim());
    work.onNext((WorkRequest) planted(calls(WorkRequest.newBuilder(), ofTask(task)), Use.VALID));
    var _ = answers.await(answer -> answer.getAnswersCount() > 0);
    work.onCompleted();
    onStreams(canaries.add(caller.acquire("stream")), task, Use.VALID);
  }

  private WorkRequest.Builder opening() {
    return WorkRequest.newBuilder()
        .setOpen(
            WorkRequest.Open.newBuilder()
                .setWorkspace(caller.workspace())
                .addQueues(RunCaller.QUEUE)
                .setWorkerId("streamer"));
  }

  private List<Message.Builder> ofTask(Claim task) {
    return Stream.of(
            RunRpc.HEARTBEAT,
            RunRpc.RECORD,
            RunRpc.COMPLETE,
            RunRpc.FAIL,
            RunRpc.SUSPEND,
            RunRpc.RELEASE)
        .map(rpc -> rpc.example(runs, "no-run", task))
        .toList();
  }

  /** The calls that streams carry, those of each stream in one message. */
  private void onStreams(Claim operation, Claim task, Use use) {
    var begins =
        Stream.of(Rpc.BEGIN, Rpc.RENEW, Rpc.COMPLETE, Rpc.FAIL)
            .map(rpc -> rpc.example(caller, "stream", operation))
            .toList();
    stream(OPERATIONS, planted(calls(OperationStreamRequest.newBuilder(), begins), use));
    var start = runs.start(RunRpc.DEFINITION).setInput(Caller.json("{}"));
    stream(STARTS, planted(calls(StartRunStreamRequest.newBuilder(), List.of(start)), use));
    stream(WORK, planted(calls(opening(), ofTask(task)), use));
  }

  /** Adds these requests to a message of a stream, each as the call of its type. */
  private static Message.Builder calls(Message.Builder message, List<Message.Builder> requests) {
    var calls = message.getDescriptorForType().findFieldByName("calls");
    for (var request : requests) {
      var call = message.newBuilderForField(calls);
      for (var field : call.getDescriptorForType().getFields()) {
        if (field.getName().equals("call_id")) {
          call.setField(field, message.getRepeatedFieldCount(calls) + 1);
        } else if (field.getMessageType().equals(request.getDescriptorForType())) {
          call.setField(field, request.build());
        }
      }
      message.addRepeatedField(calls, call.build());
    }
    return message;
  }

  private void stream(RawCall stream, Message message) {
    stream(stream, message.toByteArray());
  }

  private void stream(RawCall stream, byte[] message) {
    call(
        () -> {
          stream.callWith(caller, List.of(message));
          return stream;
        });
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
      call(() -> rpc.raw().call(caller, request(rpc.example(runs, run, task), Use.VALID)));
    }
    onStreams(operation, task, Use.VALID);
  }

  /** Every rpc with secrets in the wrong form. */
  void mistakes() {
    var claim =
        Claim.newBuilder().setId("op_" + canaries.make("claim that no server made")).build();
    for (var use : Use.values()) {
      for (var rpc : Rpc.values()) {
        call(() -> rpc.call(caller, request(rpc.example(caller, "key", claim), use)));
      }
      for (var rpc : RunRpc.values()) {
        call(() -> rpc.raw().call(caller, request(rpc.example(runs, "no-run", claim), use)));
      }
      for (var rpc : ClaimRpc.values()) {
        call(() -> rpc.raw().call(caller, request(rpc.example(claims, claim), use)));
      }
      onStreams(claim, claim, use);
    }
    // a text field with bytes that are no text
    var bytes =
        ByteString.copyFromUtf8("\n\u0005" + payload)
            .concat(ByteString.fromHex("fffe"))
            .toByteArray();
    for (var rpc : RunRpc.values()) {
      call(() -> rpc.raw().call(caller, bytes));
    }
    for (var stream : List.of(OPERATIONS, STARTS, WORK)) {
      stream(stream, bytes);
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

  private byte[] request(Message.Builder request, Use use) {
    return planted(request, use).toByteArray();
  }

  private Message planted(Message.Builder request, Use use) {
    plant(request, use);
    return request.build();
  }

  private void plant(Message.Builder to, Use use) {
    for (var field : to.getDescriptorForType().getFields()) {
      if (field.isRepeated()) {
        if (field.getJavaType() == JavaType.MESSAGE && !field.isMapField()) {
          for (var i = 0; i < to.getRepeatedFieldCount(field); i++) {
            plant(to.getRepeatedFieldBuilder(field, i), use);
          }
        }
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
