package dev.hapax.grpc.limit;

import io.grpc.Grpc;
import io.grpc.ServerCall;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts connections when they are accepted and refuses those above the limits. A filter of gRPC's
 * transports would not count those that never finish their TLS handshake.
 */
@ChannelHandler.Sharable
public final class ConnectionRegistry extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionRegistry.class);

  private final ConnectionLimits limits;
  private final boolean needsNoCredential;
  private final LogGate log;
  private final ConcurrentMap<SocketAddress, Connection> connections = new ConcurrentHashMap<>();
  private volatile LimitObserver observer = LimitObserver.NONE;

  // guarded by this
  private final Map<ClientNetwork, Integer> perNetwork = new HashMap<>();
  private int total;

  /**
   * Makes limits without connections.
   *
   * @param needsNoCredential whether the calls of a new connection need no credential
   */
  public ConnectionRegistry(
      ConnectionLimits limits, boolean needsNoCredential, LongSupplier nanoTime) {
    this.limits = limits;
    this.needsNoCredential = needsNoCredential;
    this.log = new LogGate(nanoTime);
  }

  public void observe(LimitObserver refused) {
    observer = refused;
  }

  /** The connection of a call; empty in the process itself. */
  public Optional<Connection> of(ServerCall<?, ?> call) {
    return Optional.ofNullable(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR))
        .map(connections::get);
  }

  Collection<Connection> open() {
    return connections.values();
  }

  /** The number of open connections, those in their handshake included. */
  public synchronized int size() {
    return total;
  }

  /** Receives a connection that was accepted, before anything is read from it. */
  @Override
  public void channelRead(ChannelHandlerContext context, Object accepted) {
    var channel = (Channel) accepted;
    var address = channel.remoteAddress();
    var network = ClientNetwork.of(address);
    var exceeded = admit(network);
    if (exceeded.isPresent()) {
      channel.unsafe().closeForcibly();
      refused(exceeded.get(), network);
      return;
    }
    var connection = new Connection(channel, address, needsNoCredential);
    connections.put(address, connection);
    var _ =
        channel
            .closeFuture()
            .addListener(
                _ -> {
                  // another connection may have the same address by now
                  connections.remove(address, connection);
                  release(network);
                });
    context.fireChannelRead(accepted);
  }

  /** Counts a connection, or returns the limit that it would exceed. */
  synchronized Optional<String> admit(ClientNetwork network) {
    if (total >= limits.total()) {
      return Optional.of("total");
    }
    if (perNetwork.getOrDefault(network, 0) >= limits.perAddress()) {
      return Optional.of("address");
    }
    total++;
    perNetwork.merge(network, 1, Integer::sum);
    return Optional.empty();
  }

  synchronized void release(ClientNetwork network) {
    total--;
    perNetwork.computeIfPresent(network, (_, count) -> count == 1 ? null : count - 1);
  }

  private void refused(String limit, ClientNetwork network) {
    observer.refusedConnection(limit);
    log.write(
        count ->
            LOG.warn(
                "refused {} connections, the last one from {}: {} are open, at most {} are allowed,"
                    + " {} of one address",
                count,
                network,
                size(),
                limits.total(),
                limits.perAddress()));
  }
}
