package dev.hapax.grpc.tls;

import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Polls files of certificates on a thread of its own. */
public final class CertificateWatch implements AutoCloseable {
  /** New connections get a new certificate after this time at the latest. */
  public static final Duration PERIOD = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

  private final List<CertificateFiles<?>> watched;
  private final InstantSource clock;
  private final Loop loop = new Loop("certificates", PERIOD, System::nanoTime);
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("certificates").factory());

  private CertificateWatch(List<CertificateFiles<?>> watched, InstantSource clock) {
    this.watched = List.copyOf(watched);
    this.clock = clock;
  }

  /** Starts to poll. */
  public static CertificateWatch start(List<CertificateFiles<?>> watched, InstantSource clock) {
    var watch = new CertificateWatch(watched, clock);
    var _ =
        watch.thread.scheduleWithFixedDelay(
            watch.loop.round(watch::poll),
            PERIOD.toMillis(),
            PERIOD.toMillis(),
            TimeUnit.MILLISECONDS);
    return watch;
  }

  public Loop loop() {
    return loop;
  }

  private void poll() {
    for (var files : watched) {
      try {
        files.poll(clock.instant());
      } catch (RuntimeException | Error e) {
        // an exception would end the polling
        LOG.error("{}: not polled", files, e);
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
