package dev.hapax.bootstrap.server;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Stage;
import dev.hapax.application.entity.Entities;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.RunServices;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.bootstrap.database.EmbeddedDatabase;
import dev.hapax.bootstrap.metrics.Metrics;
import dev.hapax.bootstrap.metrics.Readiness;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.grpc.GrpcModule;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.server.ServerSettings;
import dev.hapax.postgres.PostgresModule;
import dev.hapax.postgres.PostgresStore;
import dev.hapax.postgres.schema.Migrations;
import io.grpc.ServerInterceptor;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running server. Its parts start in the order written here and stop in the reverse one. */
public final class Server implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  private final Parts parts;
  private final HostPort address;

  private Server(Parts parts, HostPort address) {
    this.parts = parts;
    this.address = address;
  }

  /** Starts everything; returns when health is SERVING, and leaves nothing behind if it fails. */
  public static Server start(ServerConfig config) throws IOException, ConfigurationException {
    var parts = new Parts();
    try {
      return start(config, parts);
    } catch (IOException | ConfigurationException | RuntimeException e) {
      parts.close();
      throw e;
    } catch (SQLException e) {
      parts.close();
      throw new IOException("the database cannot be used: " + e.getMessage(), e);
    }
  }

  private static Server start(ServerConfig config, Parts parts)
      throws IOException, SQLException, ConfigurationException {
    LOG.info("configuration: {}", config.effective());
    var files = StartupFiles.read(config);
    ListenPort.requireFree(config.listen(), Settings.LISTEN);
    var target = database(config.database(), parts);
    LOG.info("database: {}", target);
    var postgres = PostgresTarget.config(target, config.ledger());
    Migrations.migrate(PostgresStore.dataSource(postgres));
    var store = parts.keep("store", PostgresStore.open(postgres));
    var timer = timer(parts);
    var metrics = config.metricsListen().map(_ -> new Metrics());
    var injector = injector(config, store, timer, metrics.map(Metrics::calls));
    files.load(injector);
    var server = injector.getInstance(HapaxServer.class);
    var janitors = injector.getInstance(Janitors.class);
    var periodic =
        new Periodic(
            store,
            server,
            injector.getInstance(OperationSweep.class),
            new JanitorHealth(janitors::watched, server));
    var schema = new SchemaVersion(PostgresStore.dataSource(postgres));
    var readiness =
        new ServerReadiness(
            store::isReachable, schema::problem, store::isProgressing, System::nanoTime);
    if (metrics.isPresent()) {
      measure(metrics.get(), injector, periodic);
      parts.keep("metrics", serve(metrics.get(), config.metricsListen().orElseThrow(), readiness));
    }
    var port = listen(server, config.listen());
    parts.keep("gRPC", server::stop);
    injector.getInstance(RunServices.class).start();
    janitors.start();
    parts.keep("waiting calls", () -> stopWaiting(injector));
    server.setServing(true);
    parts.keep("health", server::leave);
    parts.keep("readiness", readiness::drain);
    readiness.serve();
    periodic.start();
    parts.keep("periodic work", periodic);
    return new Server(parts, config.listen().withPort(port));
  }

  private static void measure(Metrics metrics, Injector injector, Periodic periodic) {
    metrics.ofCommits(injector.getInstance(Ledger.class));
    metrics.ofHealth(periodic::isServing);
    metrics.ofJanitors(injector.getInstance(Janitors.class)::watched);
  }

  private static AutoCloseable serve(Metrics metrics, HostPort address, Readiness readiness)
      throws IOException {
    try {
      var endpoint = metrics.serve(address, readiness);
      LOG.info("metrics on {}", address.withPort(endpoint.getPort()));
      return endpoint;
    } catch (IOException e) {
      throw ListenPort.taken(address, Settings.METRICS_LISTEN, e);
    }
  }

  private static void stopWaiting(Injector injector) {
    injector.getInstance(Operations.class).stopWaiting();
    var runs = injector.getInstance(RunServices.class);
    runs.runs().stopWaiting();
    runs.tasks().stopWaiting();
    injector.getInstance(Entities.class).stopWaiting();
    injector.getInstance(Janitors.class).stopWaiting();
  }

  private static JdbcTarget database(DatabaseConfig config, Parts parts) throws IOException {
    return switch (config) {
      case DatabaseConfig.Embedded(var dataDir) ->
          parts.keep("embedded PostgreSQL", EmbeddedDatabase.start(dataDir)).target();
      case DatabaseConfig.External(var target) -> target;
    };
  }

  private static ScheduledExecutorService timer(Parts parts) {
    var timer =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("timer").factory());
    // a wait that ended early leaves nothing behind until its time
    timer.setRemoveOnCancelPolicy(true);
    parts.keep("timer", timer::shutdownNow);
    return timer;
  }

  private static Injector injector(
      ServerConfig config,
      PostgresStore store,
      ScheduledExecutorService timer,
      Optional<ServerInterceptor> calls) {
    var settings =
        new ServerSettings(config.listen().socketAddress(), config.reflection(), config.drain());
    return Guice.createInjector(
        Stage.PRODUCTION,
        new PostgresModule(store),
        new ApplicationModule(timer),
        new GrpcModule(settings, calls));
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

  /** Health off, no new calls, calls under way finished, then what they stood on. */
  @Override
  public void close() {
    LOG.info("stopping");
    parts.close();
    LOG.info("stopped");
  }
}
