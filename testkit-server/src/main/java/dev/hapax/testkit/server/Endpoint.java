package dev.hapax.testkit.server;

import dev.hapax.grpc.server.RequestReader;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** An in-process gRPC server and channel for services. */
record Endpoint(List<ServerServiceDefinition> services, Server server, ManagedChannel channel)
    implements AutoCloseable {
  Endpoint {
    services = List.copyOf(services);
  }

  static Endpoint of(List<BindableService> services) {
    var name = InProcessServerBuilder.generateName();
    // as in the server, because no call handler blocks
    var server = InProcessServerBuilder.forName(name).directExecutor();
    // which also checks the rules of each field
    var read = services.stream().map(each -> RequestReader.around(each.bindService())).toList();
    server.addServices(read);
    try {
      // callbacks of callers run on separate threads, so that they do not block the clock
      return new Endpoint(
          read, server.build().start(), InProcessChannelBuilder.forName(name).build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
