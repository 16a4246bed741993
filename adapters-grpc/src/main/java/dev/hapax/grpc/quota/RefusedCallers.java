package dev.hapax.grpc.quota;

import java.net.SocketAddress;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts calls that are refused because of their credentials, and logs them once a second. */
public final class RefusedCallers {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedCallers.class);

  private final LogGate log;
  private volatile LimitObserver observer = LimitObserver.NONE;

  public RefusedCallers(LongSupplier nanoTime) {
    this.log = new LogGate(nanoTime);
  }

  public void observe(LimitObserver refused) {
    observer = refused;
  }

  /**
   * Adds a refused call.
   *
   * @param address empty = a call in the process itself
   * @param reason why; never the credential
   */
  public void add(Optional<SocketAddress> address, String reason) {
    observer.unauthenticated(reason);
    log.write(
        count ->
            LOG.warn(
                "rejected {} unauthenticated calls, the last one from {}: {}",
                count,
                address.map(from -> ClientNetwork.of(from).toString()).orElse("this process"),
                reason));
  }
}
