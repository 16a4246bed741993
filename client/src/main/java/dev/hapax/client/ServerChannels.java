package dev.hapax.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * The channels of a client, one for each address in its settings. Calls use them in turn; a channel
 * without a connection is skipped while another one has one.
 */
final class ServerChannels extends Channel {

  private final List<ManagedChannel> channels;

  /** Random, so that the first calls of many clients go to all servers. */
  private final AtomicInteger turn = new AtomicInteger(ThreadLocalRandom.current().nextInt());

  /**
   * @param channels at least one
   */
  ServerChannels(List<ManagedChannel> channels) {
    this.channels = List.copyOf(channels);
  }

  @Override
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    return next().newCall(method, options);
  }

  private ManagedChannel next() {
    if (channels.size() == 1) {
      return channels.get(0);
    }
    List<ManagedChannel> ready =
        channels.stream()
            .filter(channel -> channel.getState(true) == ConnectivityState.READY)
            .toList();
    List<ManagedChannel> usable = ready.isEmpty() ? channels : ready;
    return usable.get(Math.floorMod(turn.getAndIncrement(), usable.size()));
  }

  /** The addresses, for messages. */
  @Override
  public String authority() {
    return channels.stream().map(Channel::authority).collect(Collectors.joining(","));
  }

  /** Ends calls that are still open after a second. */
  void close() {
    channels.forEach(ManagedChannel::shutdown);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    try {
      for (ManagedChannel channel : channels) {
        if (!channel.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          channel.shutdownNow();
        }
      }
    } catch (InterruptedException interrupted) {
      channels.forEach(ManagedChannel::shutdownNow);
      Thread.currentThread().interrupt();
    }
  }
}
