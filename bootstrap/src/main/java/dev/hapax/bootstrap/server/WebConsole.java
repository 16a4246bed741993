package dev.hapax.bootstrap.server;

import com.google.protobuf.ByteString;
import dev.hapax.bootstrap.config.ConsoleListen;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.console.Console;
import dev.hapax.console.web.ConsoleConfig;
import dev.hapax.console.web.ConsoleHandler;
import dev.hapax.console.web.ConsoleRequest;
import dev.hapax.console.web.WebAnswer;
import dev.hapax.grpc.tls.ServerTls;
import dev.hapax.http.HostNames;
import dev.hapax.http.HttpServer;
import dev.hapax.http.PageServer;
import dev.hapax.http.WebPages;
import dev.hapax.http.WebRequest;
import dev.hapax.http.WebResponse;
import io.grpc.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console of a server, and where browsers find it. */
record WebConsole(HttpServer http, URI address) implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebConsole.class);

  /**
   * Starts the console.
   *
   * @param authenticates whether the server refuses callers without credentials
   * @param state differs when pages may show something else
   * @return empty = another process has the default port
   */
  static Optional<WebConsole> start(
      ConsoleListen listen,
      Optional<ServerTls> tls,
      boolean authenticates,
      LongSupplier state,
      BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels)
      throws IOException {
    var config = new ConsoleConfig(listen.hosts(), tls.isPresent(), listen.logs());
    var handler = Console.handler(config, state);
    try {
      var http =
          PageServer.start(
              listen.address().socketAddress(),
              tls.map(each -> each::engine),
              HttpApi::network,
              // the console has names of its own
              HostNames.ANY,
              new Pages(handler, channels, authenticates));
      var console = new WebConsole(http, uri(listen.address(), http, tls.isPresent()));
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

  private static URI uri(HostPort address, HttpServer http, boolean secured) {
    return URI.create((secured ? "https://" : "http://") + address.withPort(http.getPort()) + "/");
  }

  @Override
  public void close() {
    http.close();
  }

  /** The pages of the console on the HTTP server of this process. */
  private record Pages(
      ConsoleHandler handler,
      BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels,
      boolean authenticates)
      implements WebPages {
    @Override
    public int maxBody(WebRequest head) {
      return handler.maxForm(request(head));
    }

    @Override
    public WebResponse answer(WebRequest request) {
      return response(handler.answer(request(request)));
    }

    @Override
    public WebResponse refuse(int status, String problem) {
      return response(handler.refuse(status, problem));
    }

    private ConsoleRequest request(WebRequest request) {
      return new ConsoleRequest(
          request.method(),
          request.address(),
          request.headers(),
          request.body().toStringUtf8(),
          request.port(),
          channels.apply(request.client(), request.certificate()),
          authenticates && request.certificate().isEmpty());
    }

    private static WebResponse response(WebAnswer answer) {
      return new WebResponse(answer.status(), answer.headers(), ByteString.copyFrom(answer.body()));
    }
  }
}
