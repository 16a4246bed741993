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

/** The options for the server, the workspace and the output format. */
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
      description = "Address of the server. Default: HAPAX_SERVER, or " + DEFAULT_SERVER)
  private Optional<String> server = Optional.empty();

  @Option(names = "--workspace", paramLabel = "NAME", description = "Workspace. Default: default")
  private String workspace = "";

  @Option(names = "--json", description = "Print JSON for scripts, one object per line.")
  private boolean json;

  public ServerOptions(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** Calls to the server over one channel. */
  public interface Calls<T> {
    T make(Channel channel) throws Exception;
  }

  /** Connects, makes the calls, and disconnects. */
  public <T> T call(Calls<T> calls) throws Exception {
    var address = address();
    var network = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    var channel =
        NettyChannelBuilder.forAddress(address.host(), address.port())
            .eventLoopGroup(network)
            .channelType(NioSocketChannel.class)
            .usePlaintext()
            .build();
    try {
      return calls.make(channel);
    } catch (StatusRuntimeException e) {
      throw CallFailedException.of(e, address.toString());
    } finally {
      channel.shutdownNow();
      // at exit, the JVM waits 300 ms for a thread that is still selecting
      var _ = network.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(1, TimeUnit.SECONDS);
    }
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

  /** Returns the stub with the deadline of a call. */
  public static <S extends AbstractStub<S>> S withDeadline(S stub) {
    return stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /** Returns the user name, which is recorded in histories. */
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
