package dev.hapax.application.janitor;

import dev.hapax.application.waiting.ScanWindow;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.janitor.JanitorId;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The time windows of this node's scans for stuck entities, one for each module. */
final class StaleScanWindows {
  private final InstantSource clock;
  private final ConcurrentMap<JanitorId, ScanWindow> modules = new ConcurrentHashMap<>();

  StaleScanWindows(InstantSource clock) {
    this.clock = clock;
  }

  /** One scan for stale entities of one module. */
  record Scan(JanitorId janitor, ScanWindow.Scan scan) {
    Leases leases() {
      return new Leases(janitor, scan.window());
    }
  }

  private ScanWindow of(JanitorId janitor) {
    return modules.computeIfAbsent(janitor, _ -> new ScanWindow(clock));
  }

  Scan begin(JanitorId janitor) {
    return new Scan(janitor, of(janitor).begin());
  }

  /** Records that the scan found all stale entities, and that they were processed. */
  void completed(Scan scan) {
    of(scan.janitor()).completed(scan.scan());
  }

  /** Makes the next scan a full one, to find an entity again. */
  void reset(JanitorId janitor) {
    of(janitor).reset();
  }
}
