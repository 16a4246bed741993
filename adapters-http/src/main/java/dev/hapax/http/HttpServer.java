package dev.hapax.http;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.group.ChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.group.DefaultChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpDecoderConfig;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;

/**
 * An HTTP server. The thread of a connection reads its requests and sends the answers, and never
 * blocks. A client that goes away ends its request.
 */
public final class HttpServer implements AutoCloseable {
  /** The connections that are open at once; one more is closed. */
  static final int MAX_CONNECTIONS = 2_048;

  /** The connections of one client network. */
  static final int MAX_CONNECTIONS_PER_NETWORK = MAX_CONNECTIONS / 2;

  /** The connections that the system accepts before the server does. */
  private static final int BACKLOG = 1_024;

  /** For the answers that are on their way. */
  private static final int STOP_SECONDS = 2;

  /** A GET has its request in the first line. */
  private static final int MAX_LINE_BYTES = 16 << 10;

  private static final int MAX_HEADER_BYTES = 16 << 10;

  /** The share of the heap that bodies of requests may take, half of it those of one network. */
  private static final int MAX_OPEN_BYTES =
      (int) Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

  private final EventLoopGroup threads;
  private final ChannelGroup connections;
  private final ServerChannel socket;

  private HttpServer(InetSocketAddress address, Pipeline pipeline) throws IOException {
    this.connections = pipeline.connections;
    IoHandlerFactory polling =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    // 0 = as many as Netty thinks fit for the processors
    threads = new MultiThreadIoEventLoopGroup(0, new DefaultThreadFactory("http", true), polling);
    var bound =
        new ServerBootstrap()
            .group(threads)
            .channelFactory(
                () ->
                    Epoll.isAvailable()
                        ? new EpollServerSocketChannel()
                        : new NioServerSocketChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childHandler(pipeline)
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      var _ = threads.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      throw new IOException(bound.cause().getMessage(), bound.cause());
    }
    socket = (ServerChannel) bound.channel();
  }

  /**
   * Starts to listen.
   *
   * @param tls makes the engine of a connection; empty = plaintext
   * @param networks the name of the network of an address, whose clients share the limits of one
   */
  static HttpServer start(
      InetSocketAddress address,
      Optional<Supplier<SSLEngine>> tls,
      Function<InetSocketAddress, String> networks,
      RequestHandler handler,
      HttpTimeouts times)
      throws IOException {
    return new HttpServer(address, new Pipeline(tls, networks, handler, times.maxSilence()));
  }

  /** The handlers that the bytes of each connection pass. */
  private static final class Pipeline extends ChannelInitializer<Channel> {
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final NetworkPlaces memory = new NetworkPlaces(MAX_OPEN_BYTES, MAX_OPEN_BYTES / 2);
    private final Optional<Supplier<SSLEngine>> tls;
    private final Function<InetSocketAddress, String> networks;
    private final RequestHandler handler;
    private final NetworkPlaces places =
        new NetworkPlaces(MAX_CONNECTIONS, MAX_CONNECTIONS_PER_NETWORK);
    private final Duration maxSilence;

    Pipeline(
        Optional<Supplier<SSLEngine>> tls,
        Function<InetSocketAddress, String> networks,
        RequestHandler handler,
        Duration maxSilence) {
      this.tls = tls;
      this.networks = networks;
      this.handler = handler;
      this.maxSilence = maxSilence;
    }

    @Override
    protected void initChannel(Channel channel) {
      var address = (InetSocketAddress) channel.remoteAddress();
      if (address == null) {
        // its client has disconnected
        var _ = channel.close();
        return;
      }
      var network = networks.apply(address);
      if (!places.take(network, 1)) {
        var _ = channel.close();
        return;
      }
      var _ = channel.closeFuture().addListener(_ -> places.free(network, 1));
      connections.add(channel);
      tls.ifPresent(engine -> channel.pipeline().addLast(new SslHandler(engine.get())));
      var limits =
          new HttpDecoderConfig()
              .setMaxInitialLineLength(MAX_LINE_BYTES)
              .setMaxHeaderSize(MAX_HEADER_BYTES);
      channel
          .pipeline()
          .addLast(
              new HttpServerCodec(limits),
              new HttpConnection(
                  channel, network, handler, () -> new RequestBody(memory, network), maxSilence));
    }
  }

  /** The port that it listens on. */
  public int getPort() {
    return ((InetSocketAddress) socket.localAddress()).getPort();
  }

  /** Stops after the requests have been answered, or a moment later. */
  @Override
  public void close() {
    var _ = socket.close().awaitUninterruptibly();
    connections.forEach(
        channel -> channel.pipeline().fireUserEventTriggered(HttpConnection.Stop.EVENT));
    connections.newCloseFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
    var _ = threads.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
