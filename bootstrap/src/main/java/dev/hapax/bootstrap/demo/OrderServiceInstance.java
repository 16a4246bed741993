package dev.hapax.bootstrap.demo;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Path;

/** An order service process and the channel to it. */
final class OrderServiceInstance implements AutoCloseable {
  private final DemoProcess process;
  private final ManagedChannel channel;

  private OrderServiceInstance(DemoProcess process, String address) {
    this.process = process;
    this.channel = NettyChannelBuilder.forTarget(address).usePlaintext().build();
  }

  /** Starts the process, which logs to a file in the folder. */
  static OrderServiceInstance start(String name, String hapax, String payments, Path folder)
      throws IOException {
    var process =
        DemoProcess.start(
            name, folder, "order-service", "--hapax=" + hapax, "--payments=" + payments);
    return new OrderServiceInstance(process, process.line("ready on "));
  }

  String name() {
    return process.name();
  }

  ManagedChannel channel() {
    return channel;
  }

  /** Freezes the process (SIGSTOP); its connections stay open. */
  void freeze() throws IOException, InterruptedException {
    process.freeze();
  }

  /** Continues a frozen process (SIGCONT). */
  void thaw() throws IOException, InterruptedException {
    process.thaw();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    process.close();
  }
}
