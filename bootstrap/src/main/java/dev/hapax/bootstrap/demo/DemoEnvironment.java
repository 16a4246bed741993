package dev.hapax.bootstrap.demo;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.bootstrap.server.Server;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** The processes and files of the demo, all of which are removed when it is closed. */
final class DemoEnvironment implements AutoCloseable {
  private final Path folder;
  private final Server server;
  private final PaymentProvider payments;
  private final ManagedChannel hapax;
  private final Deque<OrderServiceInstance> services = new ArrayDeque<>();
  private final List<OrderServiceInstance> killed = new ArrayList<>();
  private final List<DemoProcess> workers = new ArrayList<>();
  private int started;

  private DemoEnvironment(Path folder, Server server, PaymentProvider payments) {
    this.folder = folder;
    this.server = server;
    this.payments = payments;
    this.hapax = NettyChannelBuilder.forTarget(server.address().toString()).usePlaintext().build();
  }

  /**
   * Starts the processes.
   *
   * @param console whether the server has a console
   */
  static DemoEnvironment open(DemoOutput screen, boolean console) throws Exception {
    var folder = Files.createTempDirectory("hapax-demo");
    DemoEnvironment stage;
    try {
      var server = screen.step("starting PostgreSQL and Hapax", () -> server(folder, console));
      stage = new DemoEnvironment(folder, server, PaymentProvider.start());
    } catch (Exception e) {
      EmbeddedDatabase.delete(folder);
      throw e;
    }
    try {
      screen.step(
          "starting two order services and a payment provider",
          () -> {
            stage.startService();
            return stage.startService();
          });
      return stage;
    } catch (Exception e) {
      stage.close();
      throw e;
    }
  }

  private static Server server(Path folder, boolean console)
      throws IOException, ConfigurationException {
    var flags = flags(folder);
    // a free port, since a server of this machine may have the default one
    flags.put("console-listen", console ? "127.0.0.1:0" : "off");
    return Server.start(ConfigReader.read(flags, Map.of(), Optional.empty()));
  }

  private static Map<String, String> flags(Path folder) {
    return new HashMap<>(
        Map.of("listen", "127.0.0.1:0", "data-dir", folder.toString(), "drain", "2s"));
  }

  /** Returns the database of Hapax, for the shop's own tables. */
  DataSource database() throws IOException, ConfigurationException {
    var target = EmbeddedDatabase.running(folder).orElseThrow();
    var config = ConfigReader.read(flags(folder), Map.of(), Optional.empty());
    return PostgresTarget.source(target, config.ledger());
  }

  /** Starts another order service, with the next name of orders-1, orders-2 and so on. */
  OrderServiceInstance startService() throws IOException {
    started++;
    var service =
        OrderServiceInstance.start(
            "orders-" + started, server.address().toString(), payments.address(), folder);
    services.add(service);
    return service;
  }

  /** Starts two workers, worker-1 and worker-2. */
  List<DemoProcess> startWorkers() throws IOException {
    for (int number = 1; number <= 2; number++) {
      workers.add(
          DemoProcess.start(
              "worker-" + number,
              folder,
              "worker",
              "--hapax=" + server.address(),
              "--payments=" + payments.address()));
    }
    for (var worker : workers) {
      var _ = worker.line("ready");
    }
    return workers;
  }

  DemoProcess worker(String name) {
    return workers.stream().filter(worker -> worker.name().equals(name)).findFirst().orElseThrow();
  }

  /** Returns the order service that was started first. */
  OrderServiceInstance oldest() {
    return services.getFirst();
  }

  OrderServiceInstance newest() {
    return services.getLast();
  }

  /** Kills an order service (SIGKILL); the channel to it stays open for the failed call. */
  void kill(OrderServiceInstance service) {
    service.kill();
    services.remove(service);
    killed.add(service);
  }

  /** Returns the channel to the Hapax server. */
  Channel hapax() {
    return hapax;
  }

  HostPort address() {
    return server.address();
  }

  /** Returns where the console is; empty = it was not wanted. */
  Optional<URI> console() {
    return server.console();
  }

  PaymentProvider payments() {
    return payments;
  }

  ChargeLedger ledger() {
    return payments.ledger();
  }

  @Override
  public void close() throws IOException {
    services.forEach(OrderServiceInstance::close);
    killed.forEach(OrderServiceInstance::close);
    workers.forEach(DemoProcess::close);
    hapax.shutdownNow();
    payments.close();
    server.close();
    EmbeddedDatabase.delete(folder);
  }
}
