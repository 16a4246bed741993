package dev.hapax.console;

import com.google.protobuf.Message;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.Principal;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.Role;
import dev.hapax.v1.RoleGrant;
import dev.hapax.v1.WhoAmIResponse;
import io.grpc.Channel;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Answers each method with what a test has prepared, and keeps the requests. */
final class PreparedApi implements AutoCloseable {
  private record Prepared(MethodDescriptor<Message, Message> method, Object answer) {}

  private final Map<String, Prepared> answers = new ConcurrentHashMap<>();
  private final List<Message> requests = new CopyOnWriteArrayList<>();
  private final Server server;
  private final ManagedChannel channel;

  PreparedApi() throws IOException {
    var name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .fallbackHandlerRegistry(new Methods())
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    authenticate(PrincipalKind.PRINCIPAL_KIND_LOCAL, Role.ROLE_UNSPECIFIED);
  }

  Channel channel() {
    return channel;
  }

  /** From now on every visitor has this role in all workspaces. */
  void authenticate(PrincipalKind kind, Role role) {
    answer(
        IdentityServiceGrpc.getWhoAmIMethod(),
        WhoAmIResponse.newBuilder()
            .setPrincipal(
                Principal.newBuilder()
                    .setKind(kind)
                    .setName("tester")
                    .addGrants(RoleGrant.newBuilder().setRole(role).addWorkspaces("*")))
            .build());
  }

  <Q extends Message, A extends Message> void answer(MethodDescriptor<Q, A> method, A answer) {
    prepare(method, answer);
  }

  void refuse(MethodDescriptor<?, ?> method, Status status) {
    prepare(method, status);
  }

  @SuppressWarnings("unchecked") // all methods of the API have messages
  private void prepare(MethodDescriptor<?, ?> method, Object answer) {
    answers.put(
        method.getFullMethodName(),
        new Prepared((MethodDescriptor<Message, Message>) method, answer));
  }

  /** The requests of a type, in their order. */
  <Q extends Message> List<Q> requests(Class<Q> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private final class Methods extends HandlerRegistry {
    @Override
    public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
        String name, @Nullable String authority) {
      var prepared = answers.get(name);
      return prepared == null
          ? null
          : ServerMethodDefinition.create(
              prepared.method(),
              ServerCalls.asyncUnaryCall(
                  (request, observer) -> reply(prepared.answer(), request, observer)));
    }

    private void reply(Object answer, Message request, StreamObserver<Message> observer) {
      requests.add(request);
      if (answer instanceof Status status) {
        observer.onError(status.asException());
        return;
      }
      observer.onNext((Message) answer);
      observer.onCompleted();
    }
  }
}
