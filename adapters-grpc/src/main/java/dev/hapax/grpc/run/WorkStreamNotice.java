package dev.hapax.grpc.run;

import dev.hapax.grpc.call.StreamPart;
import dev.hapax.v1.WorkResponse;

/** A message part on a Work stream that is neither a task nor an answer. */
sealed interface WorkStreamNotice extends StreamPart<WorkResponse.Builder> {

  /** Returns the clock of a message without other content. */
  record Ping(long clock) implements WorkStreamNotice {
    @Override
    public int addTo(WorkResponse.Builder message) {
      if (message.getTasksCount() == 0) {
        message.setClock(clock);
      }
      return 1;
    }
  }

  /** Announces that no task follows. */
  record Stopped() implements WorkStreamNotice {
    @Override
    public int addTo(WorkResponse.Builder message) {
      message.setStopped(true);
      return 1;
    }
  }

  @Override
  default void drop() {}
}
