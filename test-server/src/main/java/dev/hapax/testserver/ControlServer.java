package dev.hapax.testserver;

import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.server.RequestReader;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** The test server: its own service, and a server for each instance. */
final class ControlServer implements AutoCloseable {
  private final InetSocketAddress listen;
  private final Instances instances;
  private final Server server;

  private ControlServer(InetSocketAddress listen, Instances instances, Server server) {
    this.listen = listen;
    this.instances = instances;
    this.server = server;
  }

  static ControlServer start(InetSocketAddress listen) throws IOException {
    var instances = new Instances(listen.getAddress());
    var service = RequestReader.around(new TestServerGrpc(instances).bindService());
    return new ControlServer(listen, instances, serve(listen, List.of(service)));
  }

  /** Serves services, which may block no call: they run on the threads of the transport. */
  static Server serve(InetSocketAddress listen, List<ServerServiceDefinition> services)
      throws IOException {
    try {
      return HapaxServer.limited(NettyServerBuilder.forAddress(listen))
          .addServices(services)
          .addService(RequestReader.around(ProtoReflectionServiceV1.newInstance().bindService()))
          .build()
          .start();
    } catch (IOException e) {
      var cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(
          "cannot listen on "
              + text(listen.getHostString(), listen.getPort())
              + ": "
              + cause.getMessage(),
          e);
    }
  }

  /** An address as clients take it. */
  static String text(String host, int port) {
    return (host.contains(":") ? "[" + host + "]:" : host + ":") + port;
  }

  String address() {
    return text(listen.getHostString(), server.getPort());
  }

  @Override
  public void close() {
    server.shutdownNow();
    instances.close();
  }
}
