package dev.hapax.testkit.server;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Services that are called without a network. */
record Endpoint(Server server, ManagedChannel channel) implements AutoCloseable {

  static Endpoint of(List<BindableService> services) {
    var name = InProcessServerBuilder.generateName();
    // as the server does it: nothing that serves a call blocks
    var server = InProcessServerBuilder.forName(name).directExecutor();
    services.forEach(server::addService);
    try {
      // callbacks of callers get threads of their own: the time is not moved on one of them
      return new Endpoint(server.build().start(), InProcessChannelBuilder.forName(name).build());
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
