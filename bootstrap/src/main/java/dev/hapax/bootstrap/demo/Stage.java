package dev.hapax.bootstrap.demo;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.database.EmbeddedDatabase;
import dev.hapax.bootstrap.server.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;

/** Everything that runs in the demo; nothing of it is left when it is closed. */
final class Stage implements AutoCloseable {
  private final Path folder;
  private final Server server;
  private final PaymentProvider payments;
  private final Deque<Instance> services = new ArrayDeque<>();
  private int started;

  private Stage(Path folder, Server server, PaymentProvider payments) {
    this.folder = folder;
    this.server = server;
    this.payments = payments;
  }

  static Stage open(Screen screen) throws Exception {
    var folder = Files.createTempDirectory("hapax-demo");
    Stage stage;
    try {
      var server = screen.step("starting PostgreSQL and Hapax", () -> server(folder));
      stage = new Stage(folder, server, PaymentProvider.start());
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

  private static Server server(Path folder) throws IOException, ConfigurationException {
    var flags = Map.of("listen", "127.0.0.1:0", "data-dir", folder.toString(), "drain", "2s");
    return Server.start(ConfigReader.read(flags, Map.of(), Optional.empty()));
  }

  /** One more order service, called orders-1, orders-2 and so on. */
  Instance startService() throws IOException {
    started++;
    var service =
        Instance.start(
            "orders-" + started, server.address().toString(), payments.address(), folder);
    services.add(service);
    return service;
  }

  /** The order service that has been running the longest. */
  Instance oldest() {
    return services.getFirst();
  }

  Instance newest() {
    return services.getLast();
  }

  /** SIGKILL. */
  void kill(Instance service) {
    service.kill();
    services.remove(service);
  }

  PaymentProvider payments() {
    return payments;
  }

  Book book() {
    return payments.book();
  }

  @Override
  public void close() throws IOException {
    services.forEach(Instance::close);
    payments.close();
    server.close();
    EmbeddedDatabase.delete(folder);
  }
}
