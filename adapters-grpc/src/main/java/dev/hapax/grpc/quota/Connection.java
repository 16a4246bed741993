package dev.hapax.grpc.quota;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One open connection: what its caller has open, has cancelled, has not read, and has proved. */
public final class Connection {
  /** The open calls of a connection that never authenticated. */
  static final int UNPROVEN_CALLS = 100;

  /** The open calls without a credential, such as health watches, of one network. */
  static final int UNPROVEN_CALLS_OF_NETWORK = 1_000;

  /** The cancelled calls of a connection that never authenticated. */
  static final int UNPROVEN_CANCELS = 1_000;

  /** The calls that are refused on a connection that never authenticated. */
  static final int UNPROVEN_REFUSALS = 1_000;

  /** The result of a call that began. */
  enum End {
    COMPLETED,
    CANCELLED
  }

  /** The connection of a call, set by {@link ConnectionGuard}. */
  static final Attributes.Key<Connection> KEY = Attributes.Key.create("hapax-connection");

  private final Channel channel;
  private final SocketAddress address;
  private final String network;
  private final OpenCallQuota unproven;
  private final long openedNanos;

  // guarded by this
  private boolean authenticated;
  private int calls;
  private int anonymousCalls;
  private int cancels;
  private int refusals;
  private long unreadBytes;
  private long progressNanos;

  /**
   * Makes a connection without calls.
   *
   * @param unproven the open calls of callers that never authenticated, by their networks
   */
  Connection(
      Channel channel,
      SocketAddress address,
      boolean authenticated,
      OpenCallQuota unproven,
      long nowNanos) {
    this.channel = channel;
    this.address = address;
    this.network = ClientNetwork.of(address).name();
    this.unproven = unproven;
    this.authenticated = authenticated;
    this.openedNanos = nowNanos;
  }

  /** The connection of a call that the guard has counted; empty in the process itself. */
  public static Optional<Connection> of(ServerCall<?, ?> call) {
    return Optional.ofNullable(call.getAttributes().get(KEY));
  }

  SocketAddress address() {
    return address;
  }

  /** Lifts the limits of callers that never authenticated; call it at each valid credential. */
  public synchronized void authenticated() {
    if (!authenticated) {
      authenticated = true;
      for (; anonymousCalls > 0; anonymousCalls--) {
        unproven.free(network);
      }
    }
  }

  /**
   * Counts a call; false if the caller must authenticate one of its open calls first.
   *
   * @param isPublic whether the method needs no credential, so that the call may stay open without
   */
  synchronized boolean begin(boolean isPublic) {
    if (!authenticated) {
      if (calls >= UNPROVEN_CALLS || (isPublic && !unproven.take(network))) {
        return false;
      }
      anonymousCalls += isPublic ? 1 : 0;
    }
    calls++;
    return true;
  }

  /** Counts the end of a call; false if the caller cancelled too many without a credential. */
  synchronized boolean end(End how, boolean isPublic) {
    calls--;
    if (!authenticated && isPublic) {
      anonymousCalls--;
      unproven.free(network);
    }
    if (!authenticated && how == End.CANCELLED) {
      cancels++;
    }
    return authenticated || cancels <= UNPROVEN_CANCELS;
  }

  /** Counts a refused call; false if too many were refused without a valid credential. */
  synchronized boolean refuse() {
    if (!authenticated) {
      refusals++;
    }
    return authenticated || refusals <= UNPROVEN_REFUSALS;
  }

  /** Counts bytes that the caller has to read. */
  synchronized void sent(long bytes, long nowNanos) {
    if (unreadBytes == 0) {
      progressNanos = nowNanos;
    }
    unreadBytes += bytes;
  }

  /** Counts bytes that have left, or never will. */
  synchronized void left(long bytes, long nowNanos) {
    if (bytes > 0) {
      unreadBytes -= bytes;
      progressNanos = nowNanos;
    }
  }

  /** Whether the caller has something to read, and has read nothing for so long. */
  synchronized boolean isStalled(long forNanos, long nowNanos) {
    return unreadBytes > 0 && nowNanos - progressNanos >= forNanos;
  }

  /** Whether the caller has proved nothing for so long, and has no open call. */
  synchronized boolean isUnused(long forNanos, long nowNanos) {
    return !authenticated && calls == 0 && nowNanos - openedNanos >= forNanos;
  }

  /** Whether the caller has proved nothing for so long, whatever it has open. */
  synchronized boolean isUnproven(long forNanos, long nowNanos) {
    return !authenticated && nowNanos - openedNanos >= forNanos;
  }

  synchronized long unreadBytes() {
    return unreadBytes;
  }

  /** Runs a task after a time, on the thread of the connection; cancel it when it is not needed. */
  Future<?> after(Duration time, Runnable task) {
    return channel.eventLoop().schedule(task, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Closes the connection at once, with all its calls. */
  public void close() {
    // through the pipeline HTTP/2 would wait for calls that never end
    channel.eventLoop().execute(() -> channel.unsafe().close(channel.newPromise()));
  }
}
