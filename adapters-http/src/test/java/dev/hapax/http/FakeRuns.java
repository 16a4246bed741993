package dev.hapax.http;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs that answer with what the id of a request says. */
final class FakeRuns extends RunServiceGrpc.RunServiceImplBase {
  /** More than the buffers of two sockets. */
  static final int LARGE = 32 << 20;

  private static final String ACTOR = "x".repeat(1_000);

  private final AtomicInteger sent = new AtomicInteger();
  private final List<String> called = new CopyOnWriteArrayList<>();

  @Override
  public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> answer) {
    called.add(request.getRunId());
    switch (request.getRunId()) {
      case "busy" -> answer.onError(busy());
      case "broken" -> answer.onError(new IllegalStateException("secret"));
      case "large" -> {
        answer.onNext(
            GetRunResponse.newBuilder()
                .setRun(Run.newBuilder().setDefinition("x".repeat(LARGE)))
                .build());
        answer.onCompleted();
      }
      default -> {
        answer.onNext(
            GetRunResponse.newBuilder().setRun(Run.newBuilder().setId(request.getRunId())).build());
        answer.onCompleted();
      }
    }
  }

  /** Never answers. */
  @Override
  public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> answer) {
    called.add(request.getRunId());
  }

  @Override
  public void watchRun(WatchRunRequest request, StreamObserver<WatchRunResponse> answer) {
    var caller = (ServerCallStreamObserver<WatchRunResponse>) answer;
    switch (request.getRunId()) {
      case "busy" -> caller.onError(busy());
      case "endless" -> caller.setOnReadyHandler(() -> sendWhileRead(caller));
      case "open" -> caller.onNext(event(1));
      case "stopping" -> {
        caller.onNext(event(1));
        caller.onError(io.grpc.Status.UNAVAILABLE.withDescription("stopping").asException());
      }
      default -> {
        caller.onNext(event(1));
        caller.onNext(event(2));
        caller.onCompleted();
      }
    }
  }

  private void sendWhileRead(ServerCallStreamObserver<WatchRunResponse> caller) {
    while (caller.isReady()) {
      caller.onNext(
          WatchRunResponse.newBuilder()
              .setEvent(RunEvent.newBuilder().setVersion(sent.incrementAndGet()).setActor(ACTOR))
              .build());
    }
  }

  /** The runs that were asked for. */
  List<String> called() {
    return called;
  }

  /** How many events of the endless run were sent. */
  int sent() {
    return sent.get();
  }

  private static WatchRunResponse event(long version) {
    return WatchRunResponse.newBuilder()
        .setEvent(RunEvent.newBuilder().setVersion(version))
        .build();
  }

  private static Exception busy() {
    var after = RetryInfo.newBuilder().setRetryDelay(Duration.newBuilder().setSeconds(3));
    return StatusProto.toStatusException(
        Status.newBuilder()
            .setCode(8)
            .setMessage("busy")
            .addDetails(Any.pack(after.build()))
            .build());
  }
}
