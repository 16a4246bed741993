package dev.hapax.bootstrap.cli;

import com.google.rpc.Code;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.HandlerRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/**
 * Runs the client commands from which the start script records the AOT cache, against a server that
 * answers every call with an empty message, or for one method with an error.
 */
@Command(name = "train", hidden = true, description = "Used by the start script.")
final class TrainCommand implements Runnable {
  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("--help"),
          List.of("run", "list"),
          List.of("run", "list", "--json", "--status=running", "--since=1h"),
          List.of("run", "get", "run_x"),
          List.of("run", "get", "run_x", "--json"),
          List.of("run", "explain", "run_x"),
          List.of("run", "start", "order", "--input={}", "--label=a=b"),
          List.of("operation", "list"),
          List.of("entity", "list"),
          List.of("run", "get", "run_x", "--server=127.0.0.1:1"));

  @Override
  public void run() {
    try {
      var server = serve();
      try {
        COMMANDS.forEach(command -> execute(command, "127.0.0.1:" + server.getPort()));
      } finally {
        server.shutdownNow();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void execute(List<String> command, String server) {
    var nowhere = new PrintWriter(Writer.nullWriter());
    var arguments = command.toArray(String[]::new);
    HapaxCommand.commandLine(Map.of("HAPAX_SERVER", server), arguments)
        .setOut(nowhere)
        .setErr(nowhere)
        .execute(arguments);
  }

  private static Server serve() throws IOException {
    return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .fallbackHandlerRegistry(new EmptyAnswers())
        .build()
        .start();
  }

  /** Handles every method; zero bytes are a valid message of any type. */
  private static final class EmptyAnswers extends HandlerRegistry {
    private static final String FAILING = RunServiceGrpc.getExplainRunMethod().getFullMethodName();

    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
      var method =
          MethodDescriptor.newBuilder(new Bytes(), new Bytes())
              .setType(MethodType.UNARY)
              .setFullMethodName(name)
              .build();
      return ServerMethodDefinition.create(
          method,
          ServerCalls.asyncUnaryCall(
              (request, answer) -> {
                if (name.equals(FAILING)) {
                  answer.onError(
                      GrpcErrors.error(
                          Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "", Map.of()));
                  return;
                }
                answer.onNext(new byte[0]);
                answer.onCompleted();
              }));
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
