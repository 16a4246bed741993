package dev.hapax.grpc.server;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.quota.AnonymousRequestGuard;
import dev.hapax.grpc.quota.CallLimitInterceptor;
import dev.hapax.grpc.quota.ConnectionGuard;
import dev.hapax.grpc.quota.ConnectionRegistry;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.security.AccessInterceptor;
import dev.hapax.grpc.security.CallCredentialsReader;
import dev.hapax.grpc.security.MethodRules;
import dev.hapax.grpc.trace.TraceHeader;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gRPC server. Handlers run on the transport's threads: they decode, submit and return, and
 * never block.
 */
public final class HapaxServer {
  /** The largest request, in bytes. */
  public static final int MAX_REQUEST_BYTES = 1 << 20;

  /** As many as the waiting calls of one workspace, so that a client needs no further channels. */
  public static final int MAX_CALLS_PER_CONNECTION = 20_000;

  /** The most resets in 30 s: a client that cancels all its calls is no attack. */
  private static final int MAX_RESETS = 2 * MAX_CALLS_PER_CONNECTION;

  private static final int RESET_SECONDS = 30;
  private static final int KEEPALIVE_SECONDS = 60;
  private static final int KEEPALIVE_TIMEOUT_SECONDS = 10;

  /** Clients may ping each 10 s; the rest is for their jitter. */
  private static final int PERMIT_KEEPALIVE_SECONDS = 5;

  private static final int HANDSHAKE_SECONDS = 10;

  /** The headers of a call, in bytes; a key or a token has to fit. */
  public static final int MAX_HEADER_BYTES = 8 << 10;

  /** Above the request limit, so that the error of a request that is too large names the field. */
  private static final int TRANSPORT_BYTES = 4 * MAX_REQUEST_BYTES;

  private static final int IDLE_MINUTES = 5;

  /** Lets clients reconnect through the load balancer; longer than the longest wait. */
  private static final int AGE_MINUTES = 15;

  /** Lets a call stream that began just before reach its own maximum age. */
  private static final long AGE_GRACE_SECONDS = CallStream.MAX_AGE.plusMinutes(1).toSeconds();

  private static final Duration FORCED_STOP = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(HapaxServer.class);

  private final GrpcServerConfig settings;
  private final List<ServerServiceDefinition> services;
  private final HealthStatusManager health = new HealthStatusManager();
  private final ActiveCalls calls = new ActiveCalls();
  private final ConnectionRegistry connections;
  private final ConnectionGuard guard;
  private final CallLimitInterceptor limits;
  private final Optional<AccessInterceptor> access;
  private final ListeningSocket socket;
  private final Server server;
  private final InProcessServer inProcess;

  /**
   * Makes a server that is not started.
   *
   * @param access empty = every caller may do everything, without limits
   * @param outermost intercepts every call of a service before all other interceptors
   */
  public HapaxServer(
      GrpcServerConfig settings,
      Set<BindableService> services,
      Optional<AccessInterceptor> access,
      Optional<ServerInterceptor> outermost) {
    this(settings, services, access, outermost, ConnectionGuard.shareOfHeap(), System::nanoTime);
  }

  /**
   * Makes a server with its own clock for limits.
   *
   * @param maxUnreadBytes the most bytes of unread responses before stalled callers are
   *     disconnected
   */
  HapaxServer(
      GrpcServerConfig settings,
      Set<BindableService> services,
      Optional<AccessInterceptor> access,
      Optional<ServerInterceptor> outermost,
      long maxUnreadBytes,
      LongSupplier nanoTime) {
    this.settings = settings;
    this.services = services.stream().map(BindableService::bindService).toList();
    this.access = access;
    var authenticates = access.filter(AccessInterceptor::authenticates).isPresent();
    connections = new ConnectionRegistry(settings.connections(), !authenticates, nanoTime);
    guard = new ConnectionGuard(connections, MethodRules::isPublic, maxUnreadBytes, nanoTime);
    var anonymous = new AnonymousRequestGuard(connections, MethodRules::isPublic);
    limits = new CallLimitInterceptor(settings.callers(), nanoTime);
    socket = new ListeningSocket(connections);
    var builder =
        socket
            .configure(limited(NettyServerBuilder.forAddress(settings.address())))
            .addTransportFilter(new CallCredentialsReader())
            .addStreamTracerFactory(anonymous)
            .addService(RequestReader.around(health.getHealthService().bindService()));
    settings.tls().ifPresent(tls -> builder.sslContext(tls.context()));
    // the last one is the first that a call meets
    withCalls(builder).intercept(anonymous).intercept(guard);
    outermost.ifPresent(builder::intercept);
    if (settings.reflection()) {
      builder.addService(
          RequestReader.around(ProtoReflectionServiceV1.newInstance().bindService()));
    }
    server = builder.build();
    inProcess =
        new InProcessServer(
            local -> {
              outermost.ifPresent(withCalls(local)::intercept);
              return local;
            });
    setServing(false);
  }

  /** Adds what every call meets, whatever protocol its caller speaks. */
  private <B extends ServerBuilder<B>> B withCalls(B builder) {
    access.ifPresent(builder::intercept);
    services.forEach(service -> builder.addService(RequestReader.around(service)));
    return builder.intercept(TraceHeader.INSTANCE).intercept(limits).intercept(calls);
  }

  /** Adds the limits of connections and calls to a server. */
  public static NettyServerBuilder limited(NettyServerBuilder builder) {
    return builder
        .directExecutor()
        .maxInboundMessageSize(TRANSPORT_BYTES)
        .maxInboundMetadataSize(MAX_HEADER_BYTES)
        .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
        .maxRstFramesPerWindow(MAX_RESETS, RESET_SECONDS)
        .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .permitKeepAliveTime(PERMIT_KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .permitKeepAliveWithoutCalls(true)
        .maxConnectionIdle(IDLE_MINUTES, TimeUnit.MINUTES)
        .maxConnectionAge(AGE_MINUTES, TimeUnit.MINUTES)
        .maxConnectionAgeGrace(AGE_GRACE_SECONDS, TimeUnit.SECONDS);
  }

  /** Reports what the limits refuse. */
  public void observe(LimitObserver observer) {
    connections.observe(observer);
    limits.observe(observer);
    access.ifPresent(each -> each.observe(observer));
  }

  /** The number of open connections, those in their handshake included. */
  public int openConnections() {
    return connections.size();
  }

  /** The bytes of responses that callers have not read. */
  public long unreadBytes() {
    return guard.unreadBytes();
  }

  /** Starts to listen with health NOT_SERVING and returns the port. */
  public int start() throws IOException {
    return server.start().getPort();
  }

  /**
   * Accepts calls of this process for callers of other protocols, and returns the channel for a
   * caller at an address, perhaps with a verified certificate. They end with this server.
   */
  public BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> startInProcess()
      throws IOException {
    inProcess.start();
    return inProcess::channel;
  }

  /** The services of the API. */
  public List<ServiceDescriptor> services() {
    return services.stream().map(ServerServiceDefinition::getServiceDescriptor).toList();
  }

  /** Sets the health of the server and of each service. */
  public void setServing(boolean serving) {
    setServing(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, serving);
    services.forEach(service -> setServing(service.getServiceDescriptor().getName(), serving));
  }

  /**
   * Sets the health of a component that is not a service: clients that check the health of a
   * service would stop calling it.
   */
  public void setServing(String name, boolean serving) {
    health.setStatus(name, status(serving));
  }

  private static ServingStatus status(boolean serving) {
    return serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  /** Sets the health to NOT_SERVING permanently. */
  public void leave() {
    health.enterTerminalState();
  }

  /**
   * Rejects new connections, drains the active calls and ends those that outlast the drain. Calls
   * that clients send before they learn of the stop are answered, too.
   */
  public void stop() throws InterruptedException {
    server.shutdown();
    inProcess.shutdown();
    calls.drain(HapaxServer::stopping);
    if (!calls.awaitNone(settings.drain())) {
      // gRPC would end them with CANCELLED, which clients do not retry
      var ended = calls.endAll(HapaxServer::stopping);
      LOG.warn(
          "ended {} calls that were still active after the drain of {} s",
          ended,
          settings.drain().toSeconds());
    }
    if (!server.awaitTermination(FORCED_STOP.toSeconds(), TimeUnit.SECONDS)) {
      server.shutdownNow();
      if (!server.awaitTermination(FORCED_STOP.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("gRPC did not stop within {} s", FORCED_STOP.toSeconds());
      }
    }
    inProcess.stop((int) FORCED_STOP.toSeconds());
    socket.close();
  }

  private static StatusRuntimeException stopping() {
    return GrpcErrors.of(new LedgerException.Unavailable("the server is stopping"));
  }
}
