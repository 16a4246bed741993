package dev.hapax.testserver;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.server.RequestReader;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.util.List;

/** The test server: its own service, and a server for each instance. */
final class TestServer implements AutoCloseable {
  private final HostPort address;
  private final Instances instances;
  private final Server server;

  private TestServer(HostPort address, Instances instances, Server server) {
    this.address = address;
    this.instances = instances;
    this.server = server;
  }

  static TestServer start(HostPort listen) throws IOException {
    var instances = new Instances(listen.host());
    var server =
        serve(listen, List.of(RequestReader.around(new TestServerGrpc(instances).bindService())));
    return new TestServer(listen.withPort(server.getPort()), instances, server);
  }

  /** Serves services, which may block no call: they run on the threads of the transport. */
  static Server serve(HostPort listen, List<ServerServiceDefinition> services) throws IOException {
    try {
      return HapaxServer.limited(NettyServerBuilder.forAddress(listen.socketAddress()))
          .addServices(services)
          .addService(RequestReader.around(ProtoReflectionServiceV1.newInstance().bindService()))
          .build()
          .start();
    } catch (IOException e) {
      throw new IOException("cannot listen on " + listen + ": " + e.getMessage(), e);
    }
  }

  HostPort address() {
    return address;
  }

  @Override
  public void close() {
    server.shutdownNow();
    instances.close();
  }
}
