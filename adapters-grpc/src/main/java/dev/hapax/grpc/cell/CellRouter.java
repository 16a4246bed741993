package dev.hapax.grpc.cell;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.security.RequestTargets;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.Objects;

/** Routes each call to the cell that has its workspace. */
public final class CellRouter implements CellRoute {
  private final Cells cells;

  public CellRouter(Cells cells) {
    this.cells = cells;
  }

  /** The services of the first cell, whose calls are routed. */
  public List<ServerServiceDefinition> services(CellServices first) {
    return first.unguarded().stream().map(service -> routed(service.bindService(), first)).toList();
  }

  private ServerServiceDefinition routed(ServerServiceDefinition service, CellServices first) {
    var routed = ServerServiceDefinition.builder(service.getServiceDescriptor());
    service.getMethods().forEach(method -> routed.addMethod(routed(method, first)));
    return routed.build();
  }

  private <Q, A> ServerMethodDefinition<Q, A> routed(
      ServerMethodDefinition<Q, A> method, CellServices first) {
    var descriptor = method.getMethodDescriptor();
    if (!descriptor.getType().clientSendsOneMessage()) {
      // its service routes the calls that the stream carries
      return method;
    }
    var name = descriptor.getFullMethodName();
    return method.withServerCallHandler(
        RequestTargets.hasAny(request(descriptor))
            ? new RoutedHandler<>(request -> services(request).<Q, A>handler(name))
            : first.handler(name));
  }

  private static Descriptor request(MethodDescriptor<?, ?> method) {
    var prototype = ((PrototypeMarshaller<?>) method.getRequestMarshaller()).getMessagePrototype();
    return ((Message) Objects.requireNonNull(prototype)).getDescriptorForType();
  }

  @Override
  public <S extends BindableService> S of(Message request, S own) {
    return same(services(request), own);
  }

  @Override
  public <S extends BindableService> S of(Workspace workspace, S own) {
    return same(cells.of(workspace.name()), own);
  }

  @SuppressWarnings("unchecked") // the class of an S
  private static <S extends BindableService> S same(CellServices services, S own) {
    return services.service((Class<S>) own.getClass());
  }

  /** A request that names workspaces of several cells is split by its service. */
  private CellServices services(Message request) {
    var found = RequestTargets.of(request).workspaces().stream().map(cells::of).distinct().toList();
    return found.size() == 1 ? found.getFirst() : cells.first();
  }
}
