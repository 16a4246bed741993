package dev.hapax.bench;

import dev.hapax.bootstrap.Main;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server in its own process with a fixed heap, and a channel to it. */
public final class ServerProcess implements AutoCloseable {
  static final String READY = "hapax ready on ";

  /** A fixed heap, and what the start script sets for a server. */
  private static final List<String> OPTIONS =
      List.of(
          "-Xmx256m",
          "-Xmn32m",
          "-Xms64m",
          "-XX:TrimNativeHeapInterval=3000",
          "-Xlog:trimnative=off");

  private final Process process;
  private final String address;
  private final ManagedChannel channel;

  private ServerProcess(Process process, String address) {
    this.process = process;
    this.address = address;
    this.channel = connect(address);
  }

  /** Opens a channel that handles answers on the threads of its transport. */
  public static ManagedChannel connect(String address) {
    return connect(address, InsecureChannelCredentials.create());
  }

  static ManagedChannel connect(String address, ChannelCredentials credentials) {
    return NettyChannelBuilder.forTarget(address, credentials).directExecutor().build();
  }

  /**
   * Starts {@code hapax serve}.
   *
   * @param environment additional variables for the server and its PostgreSQL
   */
  public static ServerProcess serve(Map<String, String> environment, String... settings)
      throws IOException {
    var arguments = new ArrayList<>(List.of("serve"));
    arguments.addAll(List.of(settings));
    return start(Main.class, environment, arguments);
  }

  /** Starts the server of the empty call. */
  static ServerProcess echo() throws IOException {
    return start(BenchMain.class, Map.of(), List.of(BenchCommand.ECHO_SERVER));
  }

  private static ServerProcess start(
      Class<?> program, Map<String, String> environment, List<String> arguments)
      throws IOException {
    var command = BenchJvm.command(OPTIONS, program, arguments);
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    var process = builder.start();
    return new ServerProcess(process, awaitAddress(process));
  }

  private static String awaitAddress(Process process) throws IOException {
    @SuppressWarnings("resource") // closed with the process
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    for (var line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(READY)) {
        return line.substring(READY.length());
      }
    }
    throw new IOException("server did not start (its log is above)");
  }

  ManagedChannel channel() {
    return channel;
  }

  public String address() {
    return address;
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    process.destroy();
    var _ = process.onExit().orTimeout(30, TimeUnit.SECONDS).exceptionally(_ -> kill()).join();
  }

  private Process kill() {
    return process.destroyForcibly();
  }
}
