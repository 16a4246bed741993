package dev.hapax.bootstrap.demo;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.client.Hapax;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The processes and files of the demo, all of which are removed when it is closed. */
final class DemoEnvironment implements AutoCloseable {
  private final Path folder;
  private final Server server;
  private final PaymentProvider payments;
  private final Hapax hapax;
  private final List<OrderServiceInstance> services = new ArrayList<>();
  private final List<DemoProcess> workers = new ArrayList<>();

  private DemoEnvironment(Path folder, Server server, PaymentProvider payments) {
    this.folder = folder;
    this.server = server;
    this.payments = payments;
    this.hapax = Hapax.builder(Map.of()).server(server.address().toString()).plaintext().connect();
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
            var _ = stage.startService("orders-1");
            return stage.startService("orders-2");
          });
      return stage;
    } catch (Exception e) {
      stage.close();
      throw e;
    }
  }

  private static Server server(Path folder, boolean console)
      throws IOException, ConfigurationException {
    var flags =
        Map.of(
            "listen",
            "127.0.0.1:0",
            "data-dir",
            folder.toString(),
            "drain",
            "2s",
            // a free port, since a server of this machine may have the default one
            "console-listen",
            console ? "127.0.0.1:0" : "off");
    return Server.start(ConfigReader.read(flags, Map.of(), Optional.empty()));
  }

  private OrderServiceInstance startService(String name) throws IOException {
    var service =
        OrderServiceInstance.start(name, server.address().toString(), payments.address(), folder);
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

  OrderServiceInstance firstService() {
    return services.getFirst();
  }

  OrderServiceInstance secondService() {
    return services.getLast();
  }

  Hapax hapax() {
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
    workers.forEach(DemoProcess::close);
    hapax.close();
    payments.close();
    server.close();
    EmbeddedDatabase.delete(folder);
  }
}
