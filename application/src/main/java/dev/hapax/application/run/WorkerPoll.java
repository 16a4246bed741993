package dev.hapax.application.run;

import java.time.Instant;
import java.util.List;

/** When a worker polled this node last, and for which queues. */
public record WorkerPoll(String worker, List<String> queues, Instant at) {
  public WorkerPoll {
    queues = List.copyOf(queues);
  }
}
