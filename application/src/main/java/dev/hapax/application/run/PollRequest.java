package dev.hapax.application.run;

import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What a worker asks for.
 *
 * @param queues where it looks, each with the same right
 * @param attempt which poll it is, condensed; the same again gets the same tasks
 * @param atMost how many tasks
 */
public record PollRequest(
    Workspace workspace, List<String> queues, String worker, Optional<UUID> attempt, int atMost) {
  public static final int MAX_QUEUES = 100;
  public static final int MAX_TASKS = 500;

  public PollRequest {
    queues = queues.stream().distinct().toList();
  }
}
