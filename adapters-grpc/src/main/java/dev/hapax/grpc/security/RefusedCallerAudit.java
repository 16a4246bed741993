package dev.hapax.grpc.security;

import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.grpc.quota.ClientNetwork;
import io.grpc.MethodDescriptor;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Puts callers without valid credentials into the audit log: one line a minute for each address,
 * since anyone can send many such calls.
 */
final class RefusedCallerAudit {
  /** Callers of further addresses share the lines of one. */
  static final int MAX_ADDRESSES = 1_000;

  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final ClientNetwork OTHERS = new ClientNetwork("other addresses");
  private static final ClientNetwork PROCESS = new ClientNetwork("this process");

  private final Consumer<AuditLine> log;
  private final LongSupplier nanoTime;

  // guarded by this
  private final Map<ClientNetwork, Refusals> refused = new HashMap<>();

  RefusedCallerAudit(Consumer<AuditLine> log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /**
   * Adds a refused call.
   *
   * @param address empty = a call in the process itself
   */
  void add(Optional<SocketAddress> address, MethodDescriptor<?, ?> method, Reason reason) {
    var network = address.map(ClientNetwork::of).orElse(PROCESS);
    var now = nanoTime.getAsLong();
    long calls;
    synchronized (this) {
      var found = refusals(network, now);
      network = found.network;
      calls = found.add(now);
    }
    if (calls > 0) {
      log.accept(AuditLine.refused(network, method.getFullMethodName(), reason, calls));
    }
  }

  private Refusals refusals(ClientNetwork network, long now) {
    if (!refused.containsKey(network) && refused.size() >= MAX_ADDRESSES) {
      refused.values().removeIf(each -> each.isOver(now) && !each.network.equals(OTHERS));
    }
    var key = refused.containsKey(network) || refused.size() < MAX_ADDRESSES ? network : OTHERS;
    return refused.computeIfAbsent(key, each -> new Refusals(each, now));
  }

  /** The refused calls of an address since its last line. */
  private static final class Refusals {
    private final ClientNetwork network;
    private long due;
    private long calls;

    Refusals(ClientNetwork network, long now) {
      this.network = network;
      this.due = now;
    }

    /** Returns how many calls the line is about; 0 = not yet. */
    long add(long now) {
      calls++;
      if (now - due < 0) {
        return 0;
      }
      due = now + MINUTE;
      var line = calls;
      calls = 0;
      return line;
    }

    boolean isOver(long now) {
      return now - due >= 0;
    }
  }
}
