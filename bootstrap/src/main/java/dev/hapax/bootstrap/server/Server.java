package dev.hapax.bootstrap.server;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.Stage;
import dev.hapax.application.cell.CellMap;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.security.ApiKeys;
import dev.hapax.application.security.TokenVerifier;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.ProgramVersion;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.bootstrap.config.StartException;
import dev.hapax.bootstrap.identity.IdentityFiles;
import dev.hapax.bootstrap.server.metrics.Metrics;
import dev.hapax.bootstrap.server.metrics.Readiness;
import dev.hapax.domain.cell.CellName;
import dev.hapax.grpc.GrpcModule;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.cell.CellRouter;
import dev.hapax.grpc.cell.CellServices;
import dev.hapax.grpc.cell.Cells;
import dev.hapax.grpc.monitoring.ServerFacts;
import dev.hapax.grpc.security.IntentAudit;
import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.tls.CertificateWatch;
import dev.hapax.http.HostNames;
import dev.hapax.http.PageServer;
import dev.hapax.http.WebPages;
import dev.hapax.postgres.PostgresStore;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
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
    // an invalid file is found before the database is opened
    var _ = config.cells().current();
    ListenPort.requireFree(config.listen(), Settings.LISTEN);
    var database = DatabaseStart.configured(config, stopRequested, parts);
    LOG.info("database: {}", database.target());
    var store = parts.keep("store", database.open());
    var problem = store.identity().problemOfFirst();
    if (problem.isPresent()) {
      throw new StartException(
          StartException.Reason.DATABASE_REFUSES,
          "cannot use %s: %s".formatted(database.target(), problem.get()));
    }
    var timer = parts.startTimer("timer");
    var cells = cells(config, database, store, timer);
    cells.ifPresent(several -> parts.keep("cells", several));
    var metrics = config.metricsListen().map(_ -> new Metrics(cells.isPresent()));
    var tokens = identities.startTokens(clock, timer);
    tokens.ifPresent(verifier -> parts.keep("token issuers", verifier));
    var authentication =
        new AuthenticationModule(
            config.authentication(),
            identities.certificates(),
            tokens.map(TokenVerifier.class::cast));
    var modules =
        new CellModules(
            new WaiterQuota(),
            new ServerFacts(ProgramVersion.text(), ServerFeatures.switchedOn(config)),
            cells.<CellRoute>map(CellRouter::new).orElse(CellRoute.ONE_CELL));
    var grpc =
        new GrpcModule(
            grpc(config, certificates), cells.map(Cells.class::cast), metrics.map(Metrics::calls));
    var injector = injector(modules.of(store, timer), authentication, grpc);
    database.repeat(
        () -> files.load(injector, name -> cells.isEmpty() || cells.get().isInFirst(name)));
    var pages = new PageState();
    var observers = new CellObservers(injector.getInstance(IntentAudit.class), pages, metrics);
    observers.observe(injector);
    var server = injector.getInstance(HapaxServer.class);
    var janitors = injector.getInstance(Janitors.class);
    var monitor =
        new HealthMonitor(
            "",
            store,
            server::setServing,
            injector.getInstance(OperationSweep.class),
            new JanitorHealth(janitors::watched, server));
    var schema =
        new SchemaVersion(PostgresTarget.boundedSource(database.target(), config.ledger()));
    var loops = new CopyOnWriteArrayList<>(store.loops());
    if (cells.isPresent()) {
      cells
          .get()
          .start(
              injector.getInstance(CellServices.class),
              new CellOpening(
                  config, store.identity(), modules, cells.get().map(), files, server, observers));
      loops.addAll(cells.get().loops());
    }
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
      metrics.get().ofHealth(monitor::isServing);
      observers.measure(CellName.DEFAULT, injector, store, () -> loops);
      cells.ifPresent(several -> metrics.get().ofCells(several::problems, several::moves));
      server.observe(metrics.get().ofCallers(server::openConnections, server::unreadBytes));
      if (config.database() instanceof DatabaseConfig.Embedded(var dataDir)) {
        metrics.get().ofDisk(dataDir);
      }
      metrics.get().ofCertificates(certificates::statuses);
      if (config.authentication()) {
        metrics.get().ofApiKeys(injector.getInstance(ApiKeys.class)::readAt);
      }
      tokens.ifPresent(verifier -> metrics.get().ofTokenIssuers(verifier::keysRead));
      parts.keep("metrics", serve(config, metrics.get().pages(withCells(readiness, cells))));
    }
    if (config.authentication()) {
      var access = injector.getInstance(AuthenticationStart.class);
      database.repeat(() -> access.start(config, identities.isEmpty(), timer));
      loops.addAll(access.loops());
    }
    store.report(
        new NodeReport(
            config,
            store,
            certificates,
            config.authentication()
                ? Optional.of(injector.getInstance(ApiKeys.class))
                : Optional.empty()));
    var watch = CertificateWatch.start(certificates.files(), clock);
    parts.keep("certificates", watch);
    loops.add(watch.loop());
    // after gRPC has stopped, the last answers of its calls are sent
    var console = webListeners(config, certificates, server, pages, parts);
    var port = listen(server, config.listen());
    parts.keep("gRPC", server::stop);
    var own = new CellWork(injector);
    loops.addAll(own.start(timer));
    parts.keep("waiting calls", own::stopWaiting);
    cells.ifPresent(several -> parts.keep("waiting calls of cells", several::stopWaiting));
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

  /** The other cells, if there are any. */
  private static Optional<ServedCells> cells(
      ServerConfig config,
      DatabaseStart database,
      PostgresStore store,
      ScheduledExecutorService timer)
      throws IOException, ConfigurationException {
    var map = new CellMap(store.placements(), timer);
    var found = new AtomicReference<>(Optional.<ServedCells>empty());
    database.repeat(() -> found.set(ServedCells.read(config.cells(), map)));
    store.onMoved(map::refresh);
    return found.get();
  }

  private static Optional<WebConsole> webListeners(
      ServerConfig config,
      StartupCertificates certificates,
      HapaxServer server,
      PageState pages,
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
            pages,
            channels);
    console.ifPresent(started -> parts.keep("console", started));
    return console;
  }

  private static Readiness withCells(Readiness own, Optional<ServedCells> cells) {
    return () ->
        Stream.concat(own.checks().stream(), cells.stream().flatMap(each -> each.checks().stream()))
            .toList();
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

  private static GrpcServerConfig grpc(ServerConfig config, StartupCertificates certificates) {
    return new GrpcServerConfig(
        config.listen().socketAddress(),
        config.reflection(),
        config.drain(),
        certificates.tls(),
        config.connections(),
        config.callers());
  }

  private static Injector injector(List<Module> cell, Module... ofServer) {
    return Guice.createInjector(
        Stage.PRODUCTION, Stream.concat(cell.stream(), Stream.of(ofServer)).toList());
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
