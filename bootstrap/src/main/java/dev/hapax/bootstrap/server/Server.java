package dev.hapax.bootstrap.server;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Stage;
import dev.hapax.application.definition.Definitions;
import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.RunServices;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.EmbeddedDatabase;
import dev.hapax.bootstrap.definition.DefinitionFolder;
import dev.hapax.grpc.GrpcModule;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.server.ServerSettings;
import dev.hapax.postgres.PostgresModule;
import dev.hapax.postgres.PostgresStore;
import dev.hapax.postgres.schema.Migrations;
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
    var definitions = definitions(config);
    ListenPort.requireFree(config.listen());
    var target = database(config.database(), parts);
    LOG.info("database: {}", target);
    var postgres = PostgresTarget.config(target, config.ledger());
    Migrations.migrate(PostgresStore.dataSource(postgres));
    var store = parts.keep("store", PostgresStore.open(postgres));
    var timer = timer(parts);
    var injector = injector(config, store, timer);
    if (definitions.isPresent()) {
      register(definitions.get(), injector.getInstance(Definitions.class));
    }
    var server = injector.getInstance(HapaxServer.class);
    var port = listen(server, config.listen());
    parts.keep("gRPC", server::stop);
    var runs = injector.getInstance(RunServices.class);
    runs.start();
    parts.keep("waiting calls", () -> stopWaiting(injector.getInstance(Operations.class), runs));
    server.setServing(true);
    parts.keep("health", server::leave);
    parts.keep(
        "periodic work", new Periodic(store, server, injector.getInstance(OperationSweep.class)));
    return new Server(parts, config.listen().withPort(port));
  }

  private static void stopWaiting(Operations operations, RunServices runs) {
    operations.stopWaiting();
    runs.runs().stopWaiting();
    runs.tasks().stopWaiting();
  }

  private static Optional<DefinitionFolder> definitions(ServerConfig config)
      throws ConfigurationException {
    return config.definitions().isPresent()
        ? Optional.of(DefinitionFolder.read(config.definitions().get()))
        : Optional.empty();
  }

  private static void register(DefinitionFolder folder, Definitions definitions)
      throws IOException, ConfigurationException {
    int added = folder.register(definitions);
    LOG.info("definitions: {} in the folder, {} of them new", folder.size(), added);
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
      ServerConfig config, PostgresStore store, ScheduledExecutorService timer) {
    var settings =
        new ServerSettings(config.listen().socketAddress(), config.reflection(), config.drain());
    return Guice.createInjector(
        Stage.PRODUCTION,
        new PostgresModule(store),
        new ApplicationModule(timer),
        new GrpcModule(settings));
  }

  private static int listen(HapaxServer server, HostPort address) throws IOException {
    try {
      return server.start();
    } catch (IOException e) {
      throw ListenPort.taken(address, e);
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
