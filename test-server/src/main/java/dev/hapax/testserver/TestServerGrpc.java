package dev.hapax.testserver;

import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.test.v1.AdvanceRequest;
import dev.hapax.test.v1.AdvanceResponse;
import dev.hapax.test.v1.CreateInstanceRequest;
import dev.hapax.test.v1.CreateInstanceResponse;
import dev.hapax.test.v1.DeleteInstanceRequest;
import dev.hapax.test.v1.DeleteInstanceResponse;
import dev.hapax.test.v1.SettleRequest;
import dev.hapax.test.v1.SettleResponse;
import dev.hapax.test.v1.TestServerServiceGrpc;
import dev.hapax.testkit.server.InMemoryHapax;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Instant;

/** TestServerService. Its calls wait for workers, so each has a thread of its own. */
final class TestServerGrpc implements TestServerServiceGrpc.AsyncService, BindableService {
  private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("2100-01-01T00:00:00Z");

  private final Instances instances;

  TestServerGrpc(Instances instances) {
    this.instances = instances;
  }

  /** What a call does. */
  private interface Body<A> {
    A answer() throws IOException;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return TestServerServiceGrpc.bindService(this);
  }

  @Override
  public void createInstance(
      CreateInstanceRequest request, StreamObserver<CreateInstanceResponse> caller) {
    answer(
        caller,
        () -> {
          var instance = instances.create(start(request), request.getDefinitionsList());
          return CreateInstanceResponse.newBuilder()
              .setInstance(instance.id())
              .setAddress(instances.address(instance))
              .build();
        });
  }

  private static Instant start(CreateInstanceRequest request) {
    if (!request.hasStart()) {
      return InMemoryHapax.BEGINNING;
    }
    var start = Durations.decode(request.getStart());
    if (start.isBefore(EARLIEST) || start.isAfter(LATEST)) {
      throw new InvalidFieldException(
          "start", "must be between " + EARLIEST + " and " + LATEST + " (was " + start + ")");
    }
    return start;
  }

  @Override
  public void advance(AdvanceRequest request, StreamObserver<AdvanceResponse> caller) {
    answer(
        caller,
        () -> {
          var hapax = instances.get(request.getInstance()).hapax();
          var by = Durations.decode(request.getBy());
          if (request.getPastHolders()) {
            hapax.advancePastHolders(by);
          } else {
            hapax.advance(by);
          }
          return AdvanceResponse.newBuilder()
              .setNow(Durations.encode(hapax.clock().instant()))
              .build();
        });
  }

  @Override
  public void settle(SettleRequest request, StreamObserver<SettleResponse> caller) {
    answer(
        caller,
        () -> {
          instances.get(request.getInstance()).hapax().settle();
          return SettleResponse.getDefaultInstance();
        });
  }

  @Override
  public void deleteInstance(
      DeleteInstanceRequest request, StreamObserver<DeleteInstanceResponse> caller) {
    answer(
        caller,
        () -> {
          instances.delete(request.getInstance());
          return DeleteInstanceResponse.getDefaultInstance();
        });
  }

  private static <A> void answer(StreamObserver<A> caller, Body<A> body) {
    var _ =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    var answer = body.answer();
                    caller.onNext(answer);
                    caller.onCompleted();
                  } catch (IOException | RuntimeException e) {
                    caller.onError(failure(e));
                  }
                });
  }

  private static StatusRuntimeException failure(Exception e) {
    return switch (e) {
      // a task that is held for too long
      case IllegalStateException held -> status(Status.FAILED_PRECONDITION, held);
      case IOException full -> status(Status.RESOURCE_EXHAUSTED, full);
      default -> GrpcErrors.of(e);
    };
  }

  private static StatusRuntimeException status(Status status, Exception e) {
    return status.withDescription(e.getMessage()).asRuntimeException();
  }
}
