package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Message;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for the server, the workspace and the output format. */
public final class ConnectionOptions {
  private static final String VARIABLE = "HAPAX_SERVER";
  private static final String DEFAULT_SERVER = "127.0.0.1:7420";
  private static final String TLS_SCHEME = "https://";
  private static final String KEY = "HAPAX_API_KEY";
  private static final String KEY_FILE = "HAPAX_API_KEY_FILE";
  private static final String JWT_FILE = "HAPAX_JWT_FILE";

  private static final Duration TRY_TIMEOUT = Duration.ofSeconds(30);

  /** A command retries only briefly, so that it soon says that there is no server. */
  private static final Duration CALL_TIMEOUT = Duration.ofMillis(250);

  private final Map<String, String> environment;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description =
          "Address of the server, or several separated by commas; https:// before it means --tls."
              + " Default: HAPAX_SERVER, or "
              + DEFAULT_SERVER)
  private Optional<String> server = Optional.empty();

  @Option(names = "--tls", description = "Connect with TLS. Default: HAPAX_TLS=true")
  private boolean tls;

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description =
          "Certificate authorities of the server in PEM; implies --tls."
              + " Default: HAPAX_TLS_CA, or those of the JDK")
  private Optional<Path> authority = Optional.empty();

  @ArgGroup(exclusive = false)
  private @Nullable ClientCertificate certificate;

  @ArgGroup private @Nullable BearerFileOption bearer;

  @Option(names = "--workspace", paramLabel = "NAME", description = "Workspace. Default: default")
  private String workspace = "";

  @Option(names = "--json", description = "Print JSON for scripts, one object per line.")
  private boolean json;

  public ConnectionOptions(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** The certificate of this caller. */
  private static final class ClientCertificate {
    @Option(
        names = "--tls-cert",
        required = true,
        paramLabel = "FILE",
        description = "Certificate of this caller in PEM; implies --tls.")
    private Path file = Path.of("");

    @Option(
        names = "--tls-key",
        required = true,
        paramLabel = "FILE",
        description = "Private key of that certificate in PEM (PKCS#8).")
    private Path privateKey = Path.of("");
  }

  /** The API key or the token of this caller; picocli refuses both. */
  private static final class BearerFileOption {
    @Option(
        names = "--api-key-file",
        paramLabel = "FILE",
        description =
            "File with the API key. Default: HAPAX_API_KEY_FILE, or the key in HAPAX_API_KEY."
                + " No option takes the key itself, as every user of a machine sees its commands.")
    private Optional<Path> key = Optional.empty();

    @Option(
        names = "--jwt-file",
        paramLabel = "FILE",
        description =
            "File with a JSON Web Token instead of a key; it is read again when it changes."
                + " Default: HAPAX_JWT_FILE")
    private Optional<Path> jwt = Optional.empty();

    /** Replaces the variables of credentials. */
    void replace(Map<String, String> variables) {
      variables.keySet().removeAll(Set.of(KEY, KEY_FILE, JWT_FILE));
      key.ifPresent(file -> variables.put(KEY_FILE, file.toString()));
      jwt.ifPresent(file -> variables.put(JWT_FILE, file.toString()));
    }
  }

  /** Calls to the server over one connection. */
  public interface Calls<T> {
    T make(Hapax hapax) throws Exception;
  }

  /** Connects, makes the calls, and disconnects. */
  public <T> T call(Calls<T> calls) throws Exception {
    var addresses = addresses();
    var network = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    var connection = valid(this::connection);
    try (var hapax = valid(connection.channel(channel -> on(network, channel))::connect)) {
      return calls.make(hapax);
    } catch (HapaxException e) {
      throw CallFailedException.of(e, addresses, connection.isTls());
    } finally {
      // at exit, the JVM waits 300 ms for a thread that is still selecting
      var _ = network.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(1, TimeUnit.SECONDS);
    }
  }

  private static ManagedChannelBuilder<?> on(
      EventLoopGroup network, ManagedChannelBuilder<?> channel) {
    // the only transport on the class path
    return ((NettyChannelBuilder) channel)
        .eventLoopGroup(network)
        .channelType(NioSocketChannel.class);
  }

  /**
   * Makes calls that are not safe to repeat without an idempotency key.
   *
   * @param repeatedBy option that makes a retry safe, such as {@code --key 17}
   */
  public <T> T callOnce(String repeatedBy, Calls<T> calls) throws Exception {
    try {
      return call(calls);
    } catch (CallFailedException e) {
      throw e.isInDoubt()
          ? e.withAdvice(
              "The server may have executed it. To retry safely, repeat the command with "
                  + repeatedBy)
          : e;
    }
  }

  /** Returns the user name, which is recorded in histories. */
  public static String actor() {
    return System.getProperty("user.name", "");
  }

  private String serverText() {
    var variable = environment.getOrDefault(VARIABLE, "");
    return server.orElse(variable.isBlank() ? DEFAULT_SERVER : variable);
  }

  /** Returns the value, or says what is wrong with an option, a variable or a file. */
  private <T> T valid(Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private String addresses() {
    var text = serverText();
    try {
      return Stream.of(text.replace(TLS_SCHEME, "").split(",", -1))
          .map(address -> HostPort.parse(address.strip()).toString())
          .collect(Collectors.joining(","));
    } catch (IllegalArgumentException e) {
      var origin = server.isPresent() ? "--server" : VARIABLE;
      throw new ParameterException(spec.commandLine(), origin + "=" + text + ": " + e.getMessage());
    }
  }

  /** Returns what the variables say, and the options where they say something else. */
  private Hapax.Builder connection() {
    var variables = new HashMap<>(environment);
    variables.put(VARIABLE, serverText());
    if (tls) {
      variables.put("HAPAX_TLS", "true");
    }
    authority.ifPresent(file -> variables.put("HAPAX_TLS_CA", file.toString()));
    var credentials = bearer;
    if (credentials != null) {
      credentials.replace(variables);
    }
    var builder =
        Hapax.builder(variables)
            .workspace(workspace)
            .actor(actor())
            .streams(false)
            .tryTimeout(TRY_TIMEOUT)
            .callTimeout(CALL_TIMEOUT);
    var own = certificate;
    return own == null ? builder : builder.clientCertificate(own.file, own.privateKey);
  }

  public String workspace() {
    return workspace;
  }

  public boolean json() {
    return json;
  }

  /** Prints a message as JSON in one line, or as text. */
  public <M extends Message> void print(M message, LineFormat<M> format, PrintWriter out)
      throws IOException {
    if (json) {
      out.println(ValueFormat.json(message));
    } else {
      format.lines(message, Instant.now()).forEach(out::println);
    }
  }
}
