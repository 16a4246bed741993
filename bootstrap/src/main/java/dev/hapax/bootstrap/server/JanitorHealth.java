package dev.hapax.bootstrap.server;

import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.grpc.server.HapaxServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells whoever asks for the health of a janitor, by its workspace and module. */
final class JanitorHealth {
  private static final Logger LOG = LoggerFactory.getLogger(JanitorHealth.class);

  private final Supplier<List<JanitorStatus>> janitors;
  private final HapaxServer server;
  private final Map<JanitorId, Boolean> told = new HashMap<>();

  JanitorHealth(Supplier<List<JanitorStatus>> janitors, HapaxServer server) {
    this.janitors = janitors;
    this.server = server;
  }

  void look() {
    janitors.get().stream()
        .filter(watched -> watched.janitor().contract().isPresent())
        .forEach(watched -> tell(watched.id(), !watched.isOverdue()));
  }

  private void tell(JanitorId id, boolean inTime) {
    var before = told.put(id, inTime);
    if (before != null && before == inTime) {
      return;
    }
    server.setServing(
        "hapax.v1.JanitorService/%s/%s".formatted(id.workspace().name(), id.module()), inTime);
    if (!inTime) {
      LOG.warn(
          "the janitor of module {} in workspace {} is overdue: what is stuck stays so",
          id.module(),
          id.workspace().name());
    } else if (before != null) {
      LOG.info(
          "the janitor of module {} in workspace {} is in time again",
          id.module(),
          id.workspace().name());
    }
  }
}
