package dev.hapax.grpc.quota;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts connections when they are accepted, refuses those above the limits, and closes those that
 * cost too much. A filter of gRPC's transports would not count those that never finish their TLS
 * handshake.
 */
@ChannelHandler.Sharable
public final class ConnectionRegistry extends ChannelInboundHandlerAdapter {
  /** A connection without a credential may stay unused for so long while places are scarce. */
  static final Duration UNUSED = Duration.ofSeconds(30);

  /** The same for a connection with open calls, such as Watch of health checks. */
  static final Duration UNPROVEN = Duration.ofSeconds(60);

  private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionRegistry.class);

  private final ConnectionLimits limits;
  private final boolean needsNoCredential;
  private final LongSupplier nanoTime;
  private final LogGate log;
  private final ConcurrentMap<String, LogGate> closedLogs = new ConcurrentHashMap<>();
  private final ConcurrentMap<SocketAddress, Connection> connections = new ConcurrentHashMap<>();
  private final OpenCallQuota unproven = new OpenCallQuota(Connection.UNPROVEN_CALLS_OF_NETWORK);
  private volatile LimitObserver observer = LimitObserver.NONE;

  // guarded by this
  private final Map<ClientNetwork, Integer> perNetwork = new HashMap<>();
  private int total;
  private long nextSweep;

  /**
   * Makes limits without connections.
   *
   * @param needsNoCredential whether the calls of a new connection need no credential
   */
  public ConnectionRegistry(
      ConnectionLimits limits, boolean needsNoCredential, LongSupplier nanoTime) {
    this.limits = limits;
    this.needsNoCredential = needsNoCredential;
    this.nanoTime = nanoTime;
    this.nextSweep = nanoTime.getAsLong();
    this.log = new LogGate(nanoTime);
  }

  public void observe(LimitObserver refusedAndClosed) {
    observer = refusedAndClosed;
  }

  /** The connection of a call with these attributes; empty in the process itself. */
  Optional<Connection> of(Attributes call) {
    return Optional.ofNullable(call.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)).map(connections::get);
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
    var now = nanoTime.getAsLong();
    if (sweepIsDue(now)) {
      closeUnproven(now);
    }
    var exceeded = admit(network);
    if (exceeded.isPresent()) {
      channel.unsafe().closeForcibly();
      refused(exceeded.get(), network);
      return;
    }
    var connection = new Connection(channel, address, needsNoCredential, unproven, now);
    connections.put(address, connection);
    var _ =
        channel
            .closeFuture()
            .addListener(
                _ -> {
                  // another connection may have the same address
                  connections.remove(address, connection);
                  release(network);
                });
    context.fireChannelRead(accepted);
  }

  private synchronized boolean sweepIsDue(long now) {
    if (total <= limits.total() / 2 || now - nextSweep < 0) {
      return false;
    }
    nextSweep = now + SWEEP_NANOS;
    return true;
  }

  /** Frees places that callers hold without a credential. */
  private void closeUnproven(long now) {
    for (var connection : connections.values()) {
      if (connection.isUnused(UNUSED.toNanos(), now)) {
        close(connection, "unused", scarce("no credential and no open call", UNUSED));
      } else if (connection.isUnproven(UNPROVEN.toNanos(), now)) {
        close(connection, "unproven", scarce("no credential", UNPROVEN));
      }
    }
  }

  private String scarce(String what, Duration since) {
    return String.format(
        Locale.ROOT,
        "%s for %d s while %d of %d places are taken",
        what,
        since.toSeconds(),
        size(),
        limits.total());
  }

  /**
   * Closes a connection with all its calls, counts it, and logs the last one of each second.
   *
   * @param reason a short name, such as {@code unread}, with a log line of its own
   * @param what its caller did
   */
  void close(Connection connection, String reason, String what) {
    observer.closedConnection(reason);
    closedLogs
        .computeIfAbsent(reason, _ -> new LogGate(nanoTime))
        .write(
            count ->
                LOG.warn(
                    "closed {} connections, the last one of {}: {}",
                    count,
                    connection.address(),
                    what));
    connection.close();
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
