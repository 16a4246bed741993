package dev.hapax.grpc.run;

import dev.hapax.grpc.call.StreamPart;
import dev.hapax.v1.WorkResponse;

/** What the server says on a Work stream besides tasks and answers. */
sealed interface WorkNote extends StreamPart<WorkResponse.Builder> {

  /** Returns the clock of a message that has nothing else. */
  record Ping(long clock) implements WorkNote {
    @Override
    public int addTo(WorkResponse.Builder message) {
      if (message.getTasksCount() == 0) {
        message.setClock(clock);
      }
      return 1;
    }
  }

  /** No task follows. */
  record Stopped() implements WorkNote {
    @Override
    public int addTo(WorkResponse.Builder message) {
      message.setStopped(true);
      return 1;
    }
  }

  @Override
  default void drop() {}
}
