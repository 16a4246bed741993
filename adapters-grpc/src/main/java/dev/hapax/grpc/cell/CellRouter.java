package dev.hapax.grpc.cell;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.security.RequestTargets;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Routes each call to the cell that has its workspace. */
public final class CellRouter implements CellRoute {
  private final Cells cells;
  private final MovableCalls open = new MovableCalls();

  /** Routes calls from now on, and ends those of workspaces that move. */
  public CellRouter(Cells cells) {
    this.cells = cells;
    cells.onMove(open::end);
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
    var name = descriptor.getFullMethodName();
    if (!RequestTargets.hasAny(request(descriptor))) {
      return method.withServerCallHandler(first.handler(name));
    }
    // the service of a stream routes the calls that it carries
    var handler =
        descriptor.getType().clientSendsOneMessage()
            ? new RoutedHandler<Q, A>(request -> services(request).handler(name))
            : method.getServerCallHandler();
    return method.withServerCallHandler(new MovableCallHandler<>(handler, open));
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

  @Override
  public Optional<String> cell(String workspace) {
    return Optional.of(cells.name(workspace));
  }

  @Override
  public CompletableFuture<List<WorkspaceMove>> moves() {
    return cells.moves();
  }

  @Override
  public <S extends BindableService> S first(S own) {
    return same(cells.first(), own);
  }

  @Override
  public <S extends BindableService> Map<String, S> usable(S own) {
    return cells.usable().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, cell -> same(cell.getValue(), own)));
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
