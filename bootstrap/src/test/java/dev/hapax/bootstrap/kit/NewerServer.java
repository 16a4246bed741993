package dev.hapax.bootstrap.kit;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.Recovery;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import dev.hapax.v1.Replay;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.Step;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * A server that is newer than its clients: where the id of an operation, an entity or a task says
 * so, it answers with a field {@link #NUMBER}, and with values of enums of that number.
 */
final class NewerServer implements AutoCloseable {
  static final int NUMBER = 99;

  /** The begin has an unknown outcome. */
  static final String BEGIN = "begin";

  /** The end has an unknown outcome: of a completion, of a failure, of a recorded step. */
  static final String END = "end";

  static final String RECORD = "record";

  /** The claim is lost for an unknown reason. */
  static final String LOST = "lost";

  /** The recorded result has an unknown content. */
  static final String CONTENT = "content";

  /** All is known. */
  static final String KNOWN = "known";

  /** Long enough for a busy machine, and short enough to wait for renewals at its third. */
  private static final Duration LEASE = seconds(6);

  private static final UnknownFieldSet NEWER =
      UnknownFieldSet.newBuilder()
          .addField(
              NUMBER,
              UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.EMPTY).build())
          .build();

  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final Server server;

  private NewerServer() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(new Operations())
            .addService(new Entities())
            .addService(new Janitors())
            .addService(new Runs())
            .addService(new Hooks())
            .addService(new Workers())
            .addService(KitServerInfo.withParts())
            .build()
            .start();
  }

  static NewerServer start() throws IOException {
    return new NewerServer();
  }

  String target() {
    return "127.0.0.1:" + server.getPort();
  }

  /** How often a client called this method for this id, such as {@code CompleteTask end}. */
  long count(String call) {
    return calls.stream().filter(call::equals).count();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  @SuppressWarnings("unchecked") // a builder builds messages of its type
  private static <M extends Message> M newer(M message) {
    return (M) message.toBuilder().setUnknownFields(NEWER).build();
  }

  private <M> void answer(StreamObserver<M> to, String call, String id, M answer) {
    calls.add(call + " " + id);
    to.onNext(answer);
    to.onCompleted();
  }

  private static Claim claim(String id) {
    return Claim.newBuilder().setId(id).setFence(7).build();
  }

  private static ClaimLost lost() {
    return ClaimLost.newBuilder().setReasonValue(NUMBER).build();
  }

  private static Duration seconds(int seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  private final class Operations extends OperationServiceGrpc.OperationServiceImplBase {
    @Override
    public void beginOperation(
        BeginOperationRequest request, StreamObserver<BeginOperationResponse> to) {
      var id = request.getRequestId();
      var answer = BeginOperationResponse.newBuilder();
      switch (id) {
        case BEGIN -> {}
        case CONTENT ->
            answer.setReplay(
                Replay.newBuilder().setResult(newer(Payload.getDefaultInstance())).build());
        default -> answer.getAcquiredBuilder().setClaim(claim(id)).setLeaseRemaining(seconds(60));
      }
      answer(to, "Begin", id, id.equals(BEGIN) ? newer(answer.build()) : answer.build());
    }

    @Override
    public void completeOperation(
        CompleteOperationRequest request, StreamObserver<CompleteOperationResponse> to) {
      var id = request.getClaim().getId();
      answer(
          to,
          "Complete",
          id,
          id.equals(LOST)
              ? CompleteOperationResponse.newBuilder().setClaimLost(lost()).build()
              : newer(CompleteOperationResponse.getDefaultInstance()));
    }

    @Override
    public void failOperation(
        FailOperationRequest request, StreamObserver<FailOperationResponse> to) {
      var id = request.getClaim().getId();
      answer(to, "Fail", id, newer(FailOperationResponse.getDefaultInstance()));
    }
  }

  private final class Entities extends EntityServiceGrpc.EntityServiceImplBase {
    @Override
    public void beginAction(BeginActionRequest request, StreamObserver<BeginActionResponse> to) {
      var id = request.getEntityId();
      var answer = BeginActionResponse.newBuilder();
      if (!id.equals(BEGIN)) {
        answer.getGrantedBuilder().setClaim(claim(id)).setLeaseRemaining(LEASE);
      }
      answer(to, "Begin", id, id.equals(BEGIN) ? newer(answer.build()) : answer.build());
    }

    @Override
    public void renewAction(RenewActionRequest request, StreamObserver<RenewActionResponse> to) {
      var id = request.getClaim().getId();
      answer(
          to,
          "Renew",
          id,
          id.equals(LOST)
              ? RenewActionResponse.newBuilder().setClaimLost(lost()).build()
              : newer(RenewActionResponse.getDefaultInstance()));
    }

    @Override
    public void completeAction(
        CompleteActionRequest request, StreamObserver<CompleteActionResponse> to) {
      var id = request.getClaim().getId();
      answer(to, "Complete", id, newer(CompleteActionResponse.getDefaultInstance()));
    }
  }

  private final class Janitors extends JanitorServiceGrpc.JanitorServiceImplBase {
    @Override
    public void pollRecoveries(
        PollRecoveriesRequest request, StreamObserver<PollRecoveriesResponse> to) {
      var answer = PollRecoveriesResponse.newBuilder();
      Stream.of(END, KNOWN)
          .filter(id -> count("Recovery " + id) == 0)
          .filter(id -> id.equals(END) || count("CompleteRecovery " + END) > 0)
          .forEach(
              id -> {
                calls.add("Recovery " + id);
                answer.addRecoveries(
                    Recovery.newBuilder().setClaim(claim(id)).setLeaseRemaining(seconds(60)));
              });
      answer(to, "PollRecoveries", "", answer.build());
    }

    @Override
    public void completeRecovery(
        CompleteRecoveryRequest request, StreamObserver<CompleteRecoveryResponse> to) {
      var id = request.getClaim().getId();
      var known = CompleteRecoveryResponse.newBuilder();
      known.getCompletedBuilder();
      answer(
          to,
          "CompleteRecovery",
          id,
          id.equals(KNOWN) ? known.build() : newer(CompleteRecoveryResponse.getDefaultInstance()));
    }
  }

  private final class Runs extends RunServiceGrpc.RunServiceImplBase {
    @Override
    public void startRun(StartRunRequest request, StreamObserver<StartRunResponse> to) {
      answer(
          to,
          "StartRun",
          "",
          StartRunResponse.newBuilder().setRun(run()).setDispositionValue(NUMBER).build());
    }

    @Override
    public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> to) {
      answer(to, "AwaitRun", "", AwaitRunResponse.newBuilder().setRun(run()).build());
    }

    @Override
    public void signalRun(SignalRunRequest request, StreamObserver<SignalRunResponse> to) {
      answer(
          to, "SignalRun", "", SignalRunResponse.newBuilder().setDispositionValue(NUMBER).build());
    }

    private static Run run() {
      return Run.newBuilder().setId("run_1").setStatusValue(NUMBER).build();
    }
  }

  private final class Hooks extends HookServiceGrpc.HookServiceImplBase {
    @Override
    public void createHook(CreateHookRequest request, StreamObserver<CreateHookResponse> to) {
      answer(to, "CreateHook", "", newer(CreateHookResponse.getDefaultInstance()));
    }

    @Override
    public void signalHook(SignalHookRequest request, StreamObserver<SignalHookResponse> to) {
      answer(
          to,
          "SignalHook",
          "",
          SignalHookResponse.newBuilder().setDispositionValue(NUMBER).build());
    }
  }

  /** Hands out a task whose record, one whose completion, and then one of which all is known. */
  private final class Workers extends WorkerServiceGrpc.WorkerServiceImplBase {
    @Override
    public void pollTasks(PollTasksRequest request, StreamObserver<PollTasksResponse> to) {
      var answer = PollTasksResponse.newBuilder();
      Stream.of(RECORD, END, KNOWN)
          .filter(id -> count("Task " + id) == 0)
          .filter(
              id -> !id.equals(KNOWN) || count("FailTask record") + count("CompleteTask end") > 1)
          .forEach(
              id -> {
                calls.add("Task " + id);
                answer.addTasks(task(id));
              });
      answer(to, "PollTasks", "", answer.build());
    }

    private static Task task(String id) {
      return Task.newBuilder()
          .setClaim(claim(id))
          .setLeaseRemaining(LEASE)
          .setRun(Run.newBuilder().setId("run_" + id).setDefinition("case").setStatusValue(NUMBER))
          .setStep(
              Step.newBuilder()
                  .setId("step_" + id)
                  .setName("only")
                  .setAttempt(1)
                  .setStatusValue(NUMBER))
          .build();
    }

    @Override
    public void recordStep(RecordStepRequest request, StreamObserver<RecordStepResponse> to) {
      var id = request.getClaim().getId();
      var known = RecordStepResponse.newBuilder();
      var parts = known.getPartsBuilder();
      request
          .getPartsList()
          .forEach(
              part -> parts.addResultsBuilder().getRecordedBuilder().setOutput(part.getOutput()));
      answer(
          to,
          "RecordStep",
          id,
          id.equals(RECORD) ? newer(RecordStepResponse.getDefaultInstance()) : known.build());
    }

    @Override
    public void completeTask(CompleteTaskRequest request, StreamObserver<CompleteTaskResponse> to) {
      var id = request.getClaim().getId();
      var known = CompleteTaskResponse.newBuilder();
      known.getCompletedBuilder();
      answer(
          to,
          "CompleteTask",
          id,
          id.equals(END) ? newer(CompleteTaskResponse.getDefaultInstance()) : known.build());
    }

    @Override
    public void failTask(FailTaskRequest request, StreamObserver<FailTaskResponse> to) {
      var id = request.getClaim().getId();
      answer(to, "FailTask", id, newer(FailTaskResponse.getDefaultInstance()));
    }

    @Override
    public void heartbeatTasks(
        HeartbeatTasksRequest request, StreamObserver<HeartbeatTasksResponse> to) {
      var unknown = newer(HeartbeatTasksResponse.Result.getDefaultInstance());
      var answer = HeartbeatTasksResponse.newBuilder();
      request.getClaimsList().forEach(_ -> answer.addResults(unknown));
      answer(to, "HeartbeatTasks", "", answer.build());
    }
  }
}
