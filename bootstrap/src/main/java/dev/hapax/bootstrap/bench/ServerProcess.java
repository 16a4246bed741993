package dev.hapax.bootstrap.bench;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server in a process and a heap of its own, and a channel to it. */
public final class ServerProcess implements AutoCloseable {
  private static final String READY = "hapax ready on ";
  private final Process process;
  private final String address;
  private final ManagedChannel channel;

  private ServerProcess(Process process, String address) {
    this.process = process;
    this.address = address;
    this.channel = connect(address);
  }

  /** A channel whose answers are handled on its own threads. */
  public static ManagedChannel connect(String address) {
    return NettyChannelBuilder.forTarget(address).usePlaintext().directExecutor().build();
  }

  /** Runs a command of this program in the heap a server is meant for. */
  static ServerProcess start(String... arguments) throws IOException {
    return start(Map.of(), arguments);
  }

  /** The same with more variables in its environment, which its PostgreSQL inherits. */
  public static ServerProcess start(Map<String, String> environment, String... arguments)
      throws IOException {
    var command = new ArrayList<String>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Xmx256m",
            "-Xmn32m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.hapax.bootstrap.Main"));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    var process = builder.start();
    return new ServerProcess(process, ready(process));
  }

  private static String ready(Process process) throws IOException {
    @SuppressWarnings("resource") // closed with the process
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    for (var line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(READY)) {
        return line.substring(READY.length());
      }
    }
    throw new IOException("a server of the bench did not start");
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
