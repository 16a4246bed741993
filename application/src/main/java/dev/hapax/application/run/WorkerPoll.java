package dev.hapax.application.run;

import java.time.Instant;
import java.util.List;

/** The last poll of a worker on this node: its time and queues. */
public record WorkerPoll(String worker, List<String> queues, Instant at) {
  public WorkerPoll {
    queues = List.copyOf(queues);
  }
}
