package dev.hapax.bootstrap.kit;

import com.google.protobuf.Duration;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.Run;
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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that hands out one claim three times, twice in its first answer and once after it was
 * completed, and another claim with the last of them.
 */
final class RepeatingServer implements AutoCloseable {
  static final String REPEATED = "task_repeated";
  static final String OTHER = "task_other";

  private final List<String> completed = new CopyOnWriteArrayList<>();
  private final AtomicInteger polls = new AtomicInteger();
  private final Server server;

  private RepeatingServer(KitServerInfo info) throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(new Workers())
            .addService(info)
            .build()
            .start();
  }

  static RepeatingServer start() throws IOException {
    return new RepeatingServer(KitServerInfo.withParts());
  }

  /** One that lacks the feature of parts. */
  static RepeatingServer withoutParts() throws IOException {
    return new RepeatingServer(KitServerInfo.withoutParts());
  }

  String target() {
    return "127.0.0.1:" + server.getPort();
  }

  int polls() {
    return polls.get();
  }

  /** The ids of the completed claims, in their order. */
  List<String> completed() {
    return completed;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private final class Workers extends WorkerServiceGrpc.WorkerServiceImplBase {
    private final AtomicInteger answers = new AtomicInteger();

    @Override
    public void pollTasks(PollTasksRequest request, StreamObserver<PollTasksResponse> answer) {
      polls.incrementAndGet();
      var tasks =
          switch (answers.get()) {
            case 0 -> List.of(task(REPEATED), task(REPEATED));
            case 1 ->
                completed.contains(REPEATED)
                    ? List.of(task(REPEATED), task(OTHER))
                    : List.<Task>of();
            default -> List.<Task>of();
          };
      if (!tasks.isEmpty()) {
        answers.incrementAndGet();
      }
      answer.onNext(PollTasksResponse.newBuilder().addAllTasks(tasks).build());
      answer.onCompleted();
    }

    private static Task task(String claim) {
      return Task.newBuilder()
          .setClaim(Claim.newBuilder().setId(claim).setFence(7))
          .setLeaseRemaining(Duration.newBuilder().setSeconds(60))
          .setRun(Run.newBuilder().setId("run_" + claim).setDefinition("case"))
          .setStep(Step.newBuilder().setId("step_" + claim).setName("only").setAttempt(1))
          .build();
    }

    @Override
    public void completeTask(
        CompleteTaskRequest request, StreamObserver<CompleteTaskResponse> answer) {
      completed.add(request.getClaim().getId());
      var done = CompleteTaskResponse.Completed.getDefaultInstance();
      answer.onNext(CompleteTaskResponse.newBuilder().setCompleted(done).build());
      answer.onCompleted();
    }

    @Override
    public void heartbeatTasks(
        HeartbeatTasksRequest request, StreamObserver<HeartbeatTasksResponse> answer) {
      var renewed = HeartbeatTasksResponse.newBuilder();
      request.getClaimsList().forEach(_ -> renewed.addResultsBuilder().getRenewedBuilder());
      answer.onNext(renewed.build());
      answer.onCompleted();
    }
  }
}
