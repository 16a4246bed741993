package dev.hapax.application.run;

import dev.hapax.domain.run.RunId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What this node answered to the last polls, so that one that is sent again gets the same. */
final class RecentPolls {
  private static final int KEPT = 50_000;

  private final Map<UUID, List<RunId>> answers =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, List<RunId>> eldest) {
          return size() > KEPT;
        }
      };

  synchronized void keep(UUID poll, List<RunId> granted) {
    answers.put(poll, granted);
  }

  /** What was granted to this poll; nothing if it is not known. */
  synchronized List<RunId> of(UUID poll) {
    return answers.getOrDefault(poll, List.of());
  }
}
