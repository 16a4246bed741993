package dev.hapax.client.worker;

import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.Task;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handlers of a worker, by step and by queue. */
final class Handlers {

  private static final Logger log = LoggerFactory.getLogger(Handlers.class);

  private record Key(String definition, String step) {}

  private final Map<Key, TaskHandler> bySteps = new HashMap<>();
  private final Map<String, TaskHandler> byQueue = new HashMap<>();
  private final Set<String> queues = new TreeSet<>();
  private final ReleaseBackoff releases = new ReleaseBackoff();

  void add(String queue, String definition, String step, TaskHandler handler) {
    queue(queue);
    if (bySteps.putIfAbsent(new Key(definition, step), handler) != null) {
      throw new IllegalArgumentException(
          "step " + step + " of definition " + definition + " already has a handler");
    }
  }

  void add(String queue, TaskHandler handler) {
    queue(queue);
    if (byQueue.putIfAbsent(queue, handler) != null) {
      throw new IllegalArgumentException("queue " + queue + " already has a handler");
    }
  }

  private void queue(String queue) {
    KeyText.check("queue", queue);
    if (queue.isEmpty()) {
      throw new IllegalArgumentException("queue must not be empty");
    }
    queues.add(queue);
  }

  Set<String> queues() {
    return queues;
  }

  /** The handler of the step itself, else that of its queue. */
  TaskHandler of(Task task) {
    String step = task.getStep().getName();
    String definition = task.getRun().getDefinition();
    TaskHandler own = bySteps.get(new Key(definition, step));
    return own == null ? ofQueue(task).orElse(noneFor(definition, step)) : own;
  }

  private Optional<TaskHandler> ofQueue(Task task) {
    String queue = task.getStep().getQueue();
    if (queue.isEmpty() && queues.size() == 1) {
      return byQueue.values().stream().findFirst();
    }
    return Optional.ofNullable(byQueue.get(queue));
  }

  /** Releases the step: another worker of the queue, older or newer, may have a handler. */
  private TaskHandler noneFor(String definition, String step) {
    return task -> {
      Duration delay = releases.next(task.stepId());
      log.warn(
          "no handler for step {} of {} in this worker, released for {} s",
          step,
          definition,
          delay.toSeconds());
      return Release.after(delay);
    };
  }
}
