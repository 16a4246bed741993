package dev.hapax.bootstrap.server;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Stage;
import dev.hapax.application.entity.Entities;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.intent.Intents;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.limit.Limits;
import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.security.ApiKeys;
import dev.hapax.application.security.TokenVerifier;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.ProgramVersion;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.bootstrap.identity.IdentityFiles;
import dev.hapax.bootstrap.server.metrics.Metrics;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.monitoring.WorkEvents;
import dev.hapax.grpc.GrpcModule;
import dev.hapax.grpc.monitoring.ServerFacts;
import dev.hapax.grpc.security.IntentAudit;
import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.tls.CertificateWatch;
import dev.hapax.http.HostNames;
import dev.hapax.http.PageServer;
import dev.hapax.http.WebPages;
import dev.hapax.postgres.PostgresModule;
import dev.hapax.postgres.PostgresStore;
import io.grpc.ServerInterceptor;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running server. It stops its parts in the reverse order of their start. */
public final class Server implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  private final Resources parts;
  private final HostPort address;
  private final Optional<URI> console;

  private Server(Resources parts, HostPort address, Optional<URI> console) {
    this.parts = parts;
    this.address = address;
    this.console = console;
  }

  /** Starts a server and returns when it is SERVING; closes all parts if the start fails. */
  public static Server start(ServerConfig config) throws IOException, ConfigurationException {
    return start(config, () -> false);
  }

  /**
   * Starts a server unless a stop is requested before the database answers.
   *
   * @throws CancellationException if a stop was requested
   */
  public static Server start(ServerConfig config, BooleanSupplier stopRequested)
      throws IOException, ConfigurationException {
    var parts = new Resources();
    try {
      return start(config, stopRequested, parts);
    } catch (IOException | ConfigurationException | RuntimeException e) {
      parts.close();
      throw e;
    }
  }

  private static Server start(ServerConfig config, BooleanSupplier stopRequested, Resources parts)
      throws IOException, ConfigurationException {
    LOG.info("configuration: {}", config.effective());
    config.warnings().forEach(LOG::warn);
    var clock = InstantSource.system();
    var certificates = StartupCertificates.read(config, clock.instant());
    var identities = IdentityFiles.read(config);
    var files = StartupFiles.read(config);
    ListenPort.requireFree(config.listen(), Settings.LISTEN);
    var database = DatabaseStart.configured(config, stopRequested, parts);
    LOG.info("database: {}", database.target());
    var store = parts.keep("store", database.open());
    var timer = timer(parts);
    var metrics = config.metricsListen().map(_ -> new Metrics());
    var tokens = identities.startTokens(clock, timer);
    tokens.ifPresent(verifier -> parts.keep("token issuers", verifier));
    var authentication =
        new AuthenticationModule(
            config.authentication(),
            identities.certificates(),
            tokens.map(TokenVerifier.class::cast));
    var injector =
        injector(config, certificates, authentication, store, timer, metrics.map(Metrics::calls));
    database.repeat(() -> files.load(injector));
    observe(
        injector.getInstance(Ledger.class),
        injector.getInstance(IntentAudit.class),
        metrics.map(Metrics::work));
    var server = injector.getInstance(HapaxServer.class);
    var janitors = injector.getInstance(Janitors.class);
    var monitor =
        new HealthMonitor(
            store,
            server,
            injector.getInstance(OperationSweep.class),
            new JanitorHealth(janitors::watched, server));
    var schema =
        new SchemaVersion(PostgresTarget.boundedSource(database.target(), config.ledger()));
    var loops = new CopyOnWriteArrayList<>(store.loops());
    var readiness =
        new ServerReadiness(
            store::database,
            schema::problem,
            store::refusal,
            store::registrationAge,
            store::isProgressing,
            () -> loops,
            System::nanoTime);
    if (metrics.isPresent()) {
      metrics.get().ofRegistration(store::registrationAge);
      metrics.get().ofLoops(() -> loops);
      metrics.get().ofDatabase(store.clock(), store::timeline);
      measure(metrics.get(), injector, store, monitor);
      server.observe(metrics.get().ofCallers(server::openConnections, server::unreadBytes));
      metrics.get().ofCertificates(certificates::statuses);
      if (config.authentication()) {
        metrics.get().ofApiKeys(injector.getInstance(ApiKeys.class)::readAt);
      }
      tokens.ifPresent(verifier -> metrics.get().ofTokenIssuers(verifier::keysRead));
      parts.keep("metrics", serve(config, metrics.get().pages(readiness)));
    }
    if (config.authentication()) {
      var access = injector.getInstance(AuthenticationStart.class);
      database.repeat(() -> access.start(config, identities.isEmpty(), timer));
      loops.addAll(access.loops());
    }
    var watch = CertificateWatch.start(certificates.files(), clock);
    parts.keep("certificates", watch);
    loops.add(watch.loop());
    // after gRPC has stopped, the last answers of its calls are sent
    var console = webListeners(config, certificates, server, injector, parts);
    var port = listen(server, config.listen());
    parts.keep("gRPC", server::stop);
    loops.addAll(startLoops(injector, timer));
    parts.keep("waiting calls", () -> stopWaiting(injector));
    parts.keep("calls of load balancers", () -> awaitLoadBalancers(config.shutdownDelay()));
    server.setServing(true);
    parts.keep("health", server::leave);
    parts.keep("readiness", readiness::drain);
    readiness.serve();
    monitor.start();
    parts.keep("health monitor", monitor);
    loops.addAll(monitor.loops());
    return new Server(parts, config.listen().withPort(port), console.map(WebConsole::address));
  }

  private static List<Loop> startLoops(Injector injector, ScheduledExecutorService timer) {
    var runs = injector.getInstance(RunServices.class);
    var intents = injector.getInstance(Intents.class);
    var janitors = injector.getInstance(Janitors.class);
    runs.start();
    intents.start();
    janitors.start();
    var hooks = injector.getInstance(Hooks.class);
    hooks.searchTurnsBy(timer);
    var limits = injector.getInstance(Limits.class);
    limits.searchBy(timer);
    return Stream.concat(
            runs.loops().stream(),
            Stream.of(intents.loop(), janitors.loop(), hooks.loop(), limits.loop()))
        .toList();
  }

  private static Optional<WebConsole> webListeners(
      ServerConfig config,
      StartupCertificates certificates,
      HapaxServer server,
      Injector injector,
      Resources parts)
      throws IOException {
    if (config.httpListen().isEmpty() && config.consoleListen().isEmpty()) {
      return Optional.empty();
    }
    var channels = server.startInProcess();
    if (config.httpListen().isPresent()) {
      var address = config.httpListen().get();
      parts.keep(
          "HTTP",
          HttpApi.start(
              address,
              hosts(config, certificates),
              config.httpOrigins(),
              certificates.tls(),
              server.services(),
              channels));
    }
    if (config.consoleListen().isEmpty()) {
      return Optional.empty();
    }
    var console =
        WebConsole.start(
            config.consoleListen().get(),
            certificates.tls(),
            config.authentication(),
            injector.getInstance(Ledger.class),
            injector.getInstance(RunServices.class).tasks()::waiting,
            channels);
    console.ifPresent(started -> parts.keep("console", started));
    return console;
  }

  /** Logs, audits and counts the work events that this server commits. */
  private static void observe(
      Ledger ledger, IntentAudit audit, Optional<Consumer<WorkEvent>> metrics) {
    var log = new WorkLog(System::nanoTime).andThen(audit);
    ledger.onChanges(new WorkEvents(metrics.map(log::andThen).orElse(log))::committed);
  }

  private static void measure(
      Metrics metrics, Injector injector, PostgresStore store, HealthMonitor monitor) {
    store.observe(metrics.ledger(), metrics.notifications());
    metrics.ofLoad(store::load);
    metrics.ofBacklog(injector.getInstance(BacklogReads.class)::backlog);
    metrics.ofPolls(injector.getInstance(RunServices.class).tasks()::waiting);
    metrics.ofHealth(monitor::isServing);
    metrics.ofJanitors(injector.getInstance(Janitors.class)::watched);
  }

  /** A caller that authenticates is no web page, and TLS proves the name of the server. */
  private static HostNames hosts(ServerConfig config, StartupCertificates certificates) {
    return config.authentication() || certificates.tls().isPresent()
        ? HostNames.ANY
        : HostNames.of(config.httpHosts());
  }

  private static AutoCloseable serve(ServerConfig config, WebPages metrics) throws IOException {
    var address = config.metricsListen().orElseThrow();
    try {
      var http =
          PageServer.start(
              address.socketAddress(),
              Optional.empty(),
              HttpApi::network,
              // without TLS, and without authentication
              HostNames.of(config.httpHosts()),
              metrics);
      LOG.info("metrics on {}", address.withPort(http.getPort()));
      return http;
    } catch (IOException e) {
      throw ListenPort.taken(address, Settings.METRICS_LISTEN, e);
    }
  }

  /** A load balancer sends calls until its next probe finds this server not ready. */
  private static void awaitLoadBalancers(Duration delay) throws InterruptedException {
    if (delay.isPositive()) {
      LOG.info("accepting calls for {} s more (--shutdown-delay)", delay.toSeconds());
      TimeUnit.NANOSECONDS.sleep(delay.toNanos());
    }
  }

  private static void stopWaiting(Injector injector) {
    injector.getInstance(Operations.class).stopWaiting();
    var runs = injector.getInstance(RunServices.class);
    runs.runs().stopWaiting();
    runs.tasks().stopWaiting();
    injector.getInstance(Intents.class).stopWaiting();
    injector.getInstance(Entities.class).stopWaiting();
    injector.getInstance(Janitors.class).stopWaiting();
  }

  private static ScheduledExecutorService timer(Resources parts) {
    var timer =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("timer").factory());
    // an answered wait must not stay in the queue until its timeout
    timer.setRemoveOnCancelPolicy(true);
    parts.keep("timer", timer::shutdownNow);
    return timer;
  }

  private static Injector injector(
      ServerConfig config,
      StartupCertificates certificates,
      AuthenticationModule authentication,
      PostgresStore store,
      ScheduledExecutorService timer,
      Optional<ServerInterceptor> calls) {
    var settings =
        new GrpcServerConfig(
            config.listen().socketAddress(),
            config.reflection(),
            config.drain(),
            certificates.tls(),
            config.connections(),
            config.callers());
    var facts = new ServerFacts(ProgramVersion.text(), ServerFeatures.switchedOn(config));
    return Guice.createInjector(
        Stage.PRODUCTION,
        new PostgresModule(store),
        new ApplicationModule(timer),
        authentication,
        new GrpcModule(settings, facts, calls));
  }

  private static int listen(HapaxServer server, HostPort address) throws IOException {
    try {
      return server.start();
    } catch (IOException e) {
      throw ListenPort.taken(address, Settings.LISTEN, e);
    }
  }

  public HostPort address() {
    return address;
  }

  /** Where browsers find the console; empty = this server has none. */
  public Optional<URI> console() {
    return console;
  }

  /**
   * Reports NOT_SERVING, accepts calls for the shutdown delay, drains calls in flight, then closes
   * all parts.
   */
  @Override
  public void close() {
    LOG.info("stopping");
    parts.close();
    LOG.info("stopped");
  }
}
