package dev.hapax.bootstrap.demo;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One order service in a process of its own, so that it can be killed and frozen. */
final class Instance implements AutoCloseable {
  private static final String READY = "ready on ";

  private final String name;
  private final Process process;
  private final ManagedChannel channel;

  private Instance(String name, Process process, String address) {
    this.name = name;
    this.process = process;
    this.channel = NettyChannelBuilder.forTarget(address).usePlaintext().build();
  }

  /** Starts one; what it logs goes to a file in the folder. */
  static Instance start(String name, String hapax, String payments, Path folder)
      throws IOException {
    var log = folder.resolve(name + ".log");
    var process =
        new ProcessBuilder(
                List.of(
                    ProcessHandle.current().info().command().orElse("java"),
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-Xmx64m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "dev.hapax.bootstrap.Main",
                    "demo",
                    "order-service",
                    "--name=" + name,
                    "--hapax=" + hapax,
                    "--payments=" + payments))
            .redirectError(log.toFile())
            .start();
    try {
      return new Instance(name, process, address(process));
    } catch (IOException e) {
      var _ = process.destroyForcibly().onExit().join();
      throw new IOException(
          "the order service " + name + " did not start: " + Files.readString(log).strip(), e);
    }
  }

  private static String address(Process process) throws IOException {
    @SuppressWarnings("resource") // closed with the process
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    var line = output.readLine();
    if (line == null || !line.startsWith(READY)) {
      throw new IOException("no address in " + line);
    }
    return line.substring(READY.length());
  }

  String name() {
    return name;
  }

  ManagedChannel channel() {
    return channel;
  }

  /** SIGKILL: no word to anybody. */
  void kill() {
    var _ = process.destroyForcibly().onExit().join();
  }

  /** SIGSTOP: as in a long pause of the machine; its connections stay open. */
  void freeze() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** SIGCONT: it goes on as if nothing had happened. */
  void thaw() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("sh", "-c", "kill -s " + name + " " + process.pid()).start();
    if (kill.waitFor() != 0) {
      throw new IOException("the signal " + name + " could not be sent to " + this.name);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    kill();
  }
}
