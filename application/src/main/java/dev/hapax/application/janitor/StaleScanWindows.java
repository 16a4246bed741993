package dev.hapax.application.janitor;

import dev.hapax.application.waiting.ScanWindow;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.janitor.JanitorId;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** How far back the looks of this node for stale entities have to go, module by module. */
final class StaleScanWindows {
  private final InstantSource clock;
  private final ConcurrentMap<JanitorId, ScanWindow> modules = new ConcurrentHashMap<>();

  StaleScanWindows(InstantSource clock) {
    this.clock = clock;
  }

  /** One look for those of one module. */
  record Look(JanitorId janitor, ScanWindow.Look look) {
    Leases leases() {
      return new Leases(janitor, look.back());
    }
  }

  private ScanWindow of(JanitorId janitor) {
    return modules.computeIfAbsent(janitor, _ -> new ScanWindow(clock));
  }

  Look begin(JanitorId janitor) {
    return new Look(janitor, of(janitor).begin());
  }

  /** The look has seen all there was, and it was taken care of. */
  void seen(Look look) {
    of(look.janitor()).seen(look.look());
  }

  /** Something that was seen has to be found again. */
  void lost(JanitorId janitor) {
    of(janitor).lost();
  }
}
