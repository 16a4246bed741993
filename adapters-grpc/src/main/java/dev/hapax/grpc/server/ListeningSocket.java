package dev.hapax.grpc.server;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.ResourceLeakDetector;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** The socket of a server and its threads; every accepted connection passes a handler first. */
final class ListeningSocket {
  /** How many connections the system accepts before the server does; the system may allow fewer. */
  private static final int BACKLOG = 4_096;

  private static final int STOP_SECONDS = 2;

  private static final String LEAK_DETECTION = "io.grpc.netty.shaded.io.netty.leakDetection.level";

  static {
    // Netty records where it allocates one buffer in 128, which took a tenth of the server's time
    if (System.getProperty(LEAK_DETECTION) == null) {
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
  }

  private final ChannelHandler accepted;
  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;

  ListeningSocket(ChannelHandler accepted) {
    this.accepted = accepted;
    this.acceptor = threads(1, "grpc-acceptor");
    // 0 = as many as Netty thinks fit for the processors
    this.workers = threads(0, "grpc-worker");
  }

  private static EventLoopGroup threads(int count, String name) {
    IoHandlerFactory polling =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory(name, true), polling);
  }

  NettyServerBuilder configure(NettyServerBuilder builder) {
    return builder
        .channelFactory(this::open)
        .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
        .bossEventLoopGroup(acceptor)
        .workerEventLoopGroup(workers);
  }

  private ServerChannel open() {
    var channel =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    channel.pipeline().addLast(accepted);
    return channel;
  }

  /** Ends the threads, after the server has ended. */
  void close() {
    var _ = acceptor.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
    var _ = workers.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
  }
}
