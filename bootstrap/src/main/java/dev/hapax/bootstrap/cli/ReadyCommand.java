package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.HostPort;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax ready}: the health check of a container, whose image has no curl. */
@Command(
    name = "ready",
    description = {
      "Check whether a server is ready for calls, by /readyz of its metrics address.",
      "Accepts the options, variables and configuration file of `hapax serve`."
    },
    exitCodeList = {
      "0:the server is ready",
      "1:it is not ready, or does not answer",
      "2:invalid usage or configuration"
    })
final class ReadyCommand implements Callable<Integer>, ServerSettingOptions.User {
  /** Longer than the server waits for its database. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "HOST:PORT",
      description =
          "The metrics address of the server. Default: that of --metrics-listen, on this machine.")
  private @Nullable String address;

  ReadyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var uri = URI.create("http://" + server() + "/readyz");
    var answer = get(uri);
    spec.commandLine().getOut().print(answer.body());
    spec.commandLine().getOut().flush();
    return switch (answer.statusCode()) {
      case HttpURLConnection.HTTP_OK -> ExitCode.OK;
      // the body says why, such as a name that is not among --http-hosts
      case HttpURLConnection.HTTP_UNAVAILABLE, HttpURLConnection.HTTP_FORBIDDEN ->
          ExitCode.SOFTWARE;
      default ->
          throw new IOException(
              String.format(
                  Locale.ROOT,
                  "%s answered %d: it is not the metrics address of a server",
                  uri,
                  answer.statusCode()));
    };
  }

  private static HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
    try (var http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build()) {
      return http.send(
          HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      // refused connections have no message
      var reason = Objects.requireNonNullElse(e.getMessage(), "the connection was refused");
      throw new IOException("no server answers at " + uri + ": " + reason, e);
    }
  }

  private HostPort server() throws Exception {
    if (address != null) {
      return parsed(address);
    }
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    // an address of every interface also names this machine
    return config
        .metricsListen()
        .filter(listen -> listen.port() != 0)
        .orElseThrow(
            () ->
                wrong("set --metrics-listen to the address of the server, or name its HOST:PORT"));
  }

  private HostPort parsed(String text) {
    try {
      return HostPort.parse(text);
    } catch (IllegalArgumentException e) {
      throw wrong("'" + text + "' " + e.getMessage());
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
