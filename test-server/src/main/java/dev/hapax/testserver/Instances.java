package dev.hapax.testserver;

import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.RegisterDefinitionRequest;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The instances of a test server. Thread-safe. */
final class Instances implements AutoCloseable {
  private final InetAddress host;
  private final AtomicLong created = new AtomicLong();
  private final Map<String, Instance> byId = new ConcurrentHashMap<>();

  Instances(InetAddress host) {
    this.host = host;
  }

  /** An instance, and the server that serves it. */
  record Instance(String id, InMemoryHapax hapax, Server server) implements AutoCloseable {
    @Override
    public void close() {
      server.shutdownNow();
      hapax.close();
    }
  }

  /**
   * Creates an instance.
   *
   * @param definitions texts of definition files, to register
   * @throws StatusRuntimeException if a definition is refused; there is no new instance then
   */
  Instance create(Instant start, List<String> definitions) throws IOException {
    var hapax = InMemoryHapax.start(start);
    try {
      var service = DefinitionServiceGrpc.newBlockingStub(hapax.channel());
      for (var json : definitions) {
        var _ =
            service.registerDefinition(
                RegisterDefinitionRequest.newBuilder().setJson(json).build());
      }
      var server = ControlServer.serve(new InetSocketAddress(host, 0), hapax.services());
      var instance = new Instance("test-" + created.incrementAndGet(), hapax, server);
      byId.put(instance.id(), instance);
      return instance;
    } catch (IOException | StatusRuntimeException e) {
      hapax.close();
      throw e;
    }
  }

  String address(Instance instance) {
    return ControlServer.text(host.getHostAddress(), instance.server().getPort());
  }

  Instance get(String id) {
    return Optional.ofNullable(byId.get(id)).orElseThrow(() -> unknown(id));
  }

  void delete(String id) {
    Optional.ofNullable(byId.remove(id)).orElseThrow(() -> unknown(id)).close();
  }

  private static StatusRuntimeException unknown(String id) {
    return Status.NOT_FOUND
        .withDescription("there is no instance " + id + " (was it deleted?)")
        .asRuntimeException();
  }

  @Override
  public void close() {
    byId.values().forEach(Instance::close);
    byId.clear();
  }
}
