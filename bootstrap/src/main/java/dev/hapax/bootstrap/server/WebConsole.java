package dev.hapax.bootstrap.server;

import dev.hapax.application.run.PollRequest;
import dev.hapax.bootstrap.config.ConsoleListen;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.console.Console;
import dev.hapax.console.web.ConsoleConfig;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.grpc.tls.ServerTls;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console of a server, and where browsers find it. */
record WebConsole(HttpListener listener, URI address) implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebConsole.class);

  /**
   * Starts the console.
   *
   * @param authenticates whether the server refuses callers without credentials
   * @param polls those that wait on this server
   * @return empty = another process has the default port
   */
  static Optional<WebConsole> start(
      ConsoleListen listen,
      Optional<ServerTls> tls,
      boolean authenticates,
      Ledger ledger,
      Supplier<List<PollRequest>> polls,
      HttpCallers callers)
      throws IOException {
    var config =
        new ConsoleConfig(
            listen.hosts(),
            tls.isPresent(),
            visitor -> authenticates && !HttpCallers.hasCertificate(visitor));
    var handler = Console.handler(config, callers, state(ledger, polls));
    try {
      var listener = HttpListener.start(listen.address(), tls, handler);
      var console = new WebConsole(listener, uri(listen.address(), listener, tls.isPresent()));
      LOG.info("console on {}", console.address());
      return Optional.of(console);
    } catch (IOException e) {
      var taken = ListenPort.taken(listen.address(), Settings.CONSOLE_LISTEN, e);
      if (listen.required()) {
        throw taken;
      }
      LOG.warn("this server has no console: {}", taken.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Differs when pages may show something else: after commits of this server, after notices of
   * commits of other servers, and when other queues are polled.
   */
  private static LongSupplier state(Ledger ledger, Supplier<List<PollRequest>> polls) {
    var changes = new AtomicLong();
    ledger.onCommit(_ -> changes.incrementAndGet());
    ledger.onRemoteCommit(changes::incrementAndGet);
    return () -> changes.get() << Integer.SIZE ^ polled(polls.get()).hashCode();
  }

  private static Set<?> polled(List<PollRequest> polls) {
    return polls.stream()
        .flatMap(poll -> poll.queues().stream().map(queue -> List.of(poll.workspace(), queue)))
        .collect(Collectors.toSet());
  }

  private static URI uri(HostPort address, HttpListener listener, boolean secured) {
    return URI.create(
        (secured ? "https://" : "http://") + address.withPort(listener.getPort()) + "/");
  }

  @Override
  public void close() {
    listener.close();
  }
}
