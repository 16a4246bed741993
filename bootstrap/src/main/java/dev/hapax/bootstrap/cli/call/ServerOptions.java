package dev.hapax.bootstrap.cli.call;

import dev.hapax.bootstrap.config.HostPort;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.stub.AbstractStub;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which server is asked, and how its answer is shown. */
public final class ServerOptions {
  private static final String VARIABLE = "HAPAX_SERVER";
  private static final String DEFAULT_SERVER = "127.0.0.1:7420";
  private static final int DEADLINE_SECONDS = 30;

  private final Map<String, String> environment;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description = "Which server to ask. Default: HAPAX_SERVER, or " + DEFAULT_SERVER)
  private Optional<String> server = Optional.empty();

  @Option(names = "--workspace", paramLabel = "NAME", description = "Default: default")
  private String workspace = "";

  @Option(names = "--json", description = "Print JSON for scripts, one object per line.")
  private boolean json;

  public ServerOptions(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** Something to ask the server. */
  public interface Question<T> {
    T ask(Channel channel) throws Exception;
  }

  /** Connects, asks, and disconnects. */
  public <T> T call(Question<T> question) throws Exception {
    var address = address();
    var network = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    var channel =
        NettyChannelBuilder.forAddress(address.host(), address.port())
            .eventLoopGroup(network)
            .channelType(NioSocketChannel.class)
            .usePlaintext()
            .build();
    try {
      return question.ask(channel);
    } catch (StatusRuntimeException e) {
      throw CallFailedException.of(e, address.toString());
    } finally {
      channel.shutdownNow();
      // at its exit the JVM waits 300 ms for a thread that still selects
      var _ = network.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(1, TimeUnit.SECONDS);
    }
  }

  /**
   * The same, for what must not be done twice.
   *
   * @param repeatedBy what makes the same command a repetition, such as {@code --key 17}
   */
  public <T> T callOnce(String repeatedBy, Question<T> question) throws Exception {
    try {
      return call(question);
    } catch (CallFailedException e) {
      throw e.isInDoubt()
          ? e.withAdvice("To be sure, repeat the same command with " + repeatedBy)
          : e;
    }
  }

  /** The time one call of a question may take. */
  public static <S extends AbstractStub<S>> S soon(S stub) {
    return stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /** Who is at the keyboard, for the history. */
  public static String actor() {
    return System.getProperty("user.name", "");
  }

  private HostPort address() {
    if (server.isPresent()) {
      return address("--server", server.get());
    }
    var variable = environment.getOrDefault(VARIABLE, "");
    return address(VARIABLE, variable.isBlank() ? DEFAULT_SERVER : variable);
  }

  private HostPort address(String origin, String text) {
    try {
      return HostPort.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), origin + "=" + text + ": " + e.getMessage());
    }
  }

  public String workspace() {
    return workspace;
  }

  public boolean json() {
    return json;
  }
}
