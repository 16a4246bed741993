package dev.hapax.application.run;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The request of a worker's poll.
 *
 * @param queues to poll, with equal priority
 * @param attempt hash of the poll's attempt id; a retry with the same id gets the same tasks
 * @param atMost the largest number of tasks
 * @param principal of the worker, which the server verified
 */
public record PollRequest(
    Workspace workspace,
    List<String> queues,
    String worker,
    Optional<UUID> attempt,
    int atMost,
    PrincipalName principal) {
  public static final int MAX_QUEUES = 100;
  public static final int MAX_TASKS = 500;

  public PollRequest {
    queues = queues.stream().distinct().toList();
  }
}
