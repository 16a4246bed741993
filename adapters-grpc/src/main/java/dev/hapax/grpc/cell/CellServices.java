package dev.hapax.grpc.cell;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.grpc.server.OutageInterceptor;
import io.grpc.BindableService;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The services of one cell, which reject their calls while its ledger answers none. */
public final class CellServices {
  private final List<ServerServiceDefinition> guarded;
  private final Map<Class<?>, BindableService> byType = new HashMap<>();
  private final Map<String, ServerMethodDefinition<?, ?>> methods = new HashMap<>();

  /**
   * Guards services.
   *
   * @param ledger knows of an outage of the cell
   */
  public CellServices(Collection<BindableService> services, Ledger ledger) {
    var outage = new OutageInterceptor(ledger);
    services.forEach(service -> byType.put(service.getClass(), service));
    guarded =
        services.stream()
            .map(service -> ServerInterceptors.intercept(service.bindService(), outage))
            .toList();
    guarded.stream()
        .flatMap(service -> service.getMethods().stream())
        .forEach(method -> methods.put(method.getMethodDescriptor().getFullMethodName(), method));
  }

  /** The guarded services, as a server without other cells serves them. */
  public List<ServerServiceDefinition> guarded() {
    return guarded;
  }

  /** The services as they are, for streams whose calls are routed one by one. */
  Collection<BindableService> unguarded() {
    return byType.values();
  }

  <S extends BindableService> S service(Class<S> type) {
    return Objects.requireNonNull(type.cast(byType.get(type)), type::getName);
  }

  /** The guarded handler of a method. */
  @SuppressWarnings("unchecked") // the same method of another cell has the same messages
  <Q, A> ServerCallHandler<Q, A> handler(String method) {
    var found = Objects.requireNonNull(methods.get(method), method);
    return (ServerCallHandler<Q, A>) found.getServerCallHandler();
  }
}
