package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.PrintableText;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.grpc.security.JanitorHealthName;
import dev.hapax.grpc.server.HapaxServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the health of each janitor as a gRPC health service, by workspace and module. */
final class JanitorHealth {
  private static final Logger LOG = LoggerFactory.getLogger(JanitorHealth.class);

  private final Supplier<List<JanitorStatus>> janitors;
  private final HapaxServer server;
  private final Map<JanitorId, Boolean> reported = new HashMap<>();

  JanitorHealth(Supplier<List<JanitorStatus>> janitors, HapaxServer server) {
    this.janitors = janitors;
    this.server = server;
  }

  void check() {
    janitors.get().stream()
        .filter(watched -> watched.janitor().contract().isPresent())
        .forEach(watched -> report(watched.id(), !watched.isOverdue()));
  }

  private void report(JanitorId id, boolean onSchedule) {
    var before = reported.put(id, onSchedule);
    if (before != null && before == onSchedule) {
      return;
    }
    server.setServing(JanitorHealthName.of(id.workspace().name(), id.module()), onSchedule);
    if (!onSchedule) {
      LOG.warn(
          "the janitor of module {} in workspace {} is overdue: stale entities stay claimed",
          PrintableText.quote(id.module()),
          id.workspace().name());
    } else if (before != null) {
      LOG.info(
          "the janitor of module {} in workspace {} is on schedule again",
          PrintableText.quote(id.module()),
          id.workspace().name());
    }
  }
}
