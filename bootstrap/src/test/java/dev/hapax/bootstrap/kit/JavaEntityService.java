package dev.hapax.bootstrap.kit;

import dev.hapax.client.Hapax;
import dev.hapax.client.grpc.Idempotency;
import dev.hapax.client.grpc.IdempotencyInterceptor;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;

/** The service behind the interceptor of the Java client; it stands for one of a user. */
final class JavaEntityService extends EntityServiceGrpc.EntityServiceImplBase {
  private final Handler handler;

  /** The work of a call. */
  interface Handler {
    void handle(JavaWork.Held held, String entityId) throws Exception;
  }

  private JavaEntityService(Handler handler) {
    this.handler = handler;
  }

  /** Serves until the program ends; the port. */
  static int serve(Hapax client, Handler handler) throws IOException {
    var interceptor =
        IdempotencyInterceptor.builder(client)
            .required()
            .method(EntityServiceGrpc.getCreateEntityMethod());
    return Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
        .addService(interceptor.protect(new JavaEntityService(handler)))
        .build()
        .start()
        .getPort();
  }

  @Override
  public void createEntity(
      CreateEntityRequest request, StreamObserver<CreateEntityResponse> answer) {
    try {
      handler.handle(JavaWork.Held.of(Idempotency.current()), request.getEntityId());
    } catch (Exception e) {
      answer.onError(Status.UNAVAILABLE.withDescription(e.getMessage()).asException());
      return;
    }
    var entity = Entity.newBuilder().setId(request.getEntityId());
    answer.onNext(CreateEntityResponse.newBuilder().setEntity(entity).build());
    answer.onCompleted();
  }
}
