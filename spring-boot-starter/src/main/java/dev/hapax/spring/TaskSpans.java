package dev.hapax.spring;

import dev.hapax.client.Handler;
import dev.hapax.client.Task;
import dev.hapax.client.Worker;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The spans of tasks, instead of those of OpenTelemetry that the worker has by itself. */
final class TaskSpans {

  private static final String HEADER = "traceparent";

  private final @Nullable UnaryOperator<Handler> wrapper;

  private TaskSpans(@Nullable UnaryOperator<Handler> wrapper) {
    this.wrapper = wrapper;
  }

  static TaskSpans ofWorker() {
    return new TaskSpans(null);
  }

  static TaskSpans none() {
    return new TaskSpans(UnaryOperator.identity());
  }

  /** Observations {@code hapax.task}, whose parent is the span that started the run. */
  static TaskSpans observed(ObservationRegistry registry) {
    return new TaskSpans(
        handler -> task -> observation(task, registry).observeChecked(() -> handler.handle(task)));
  }

  private static Observation observation(Task task, ObservationRegistry registry) {
    String definition = task.message().getRun().getDefinition();
    return Observation.createNotStarted("hapax.task", () -> context(task), registry)
        .contextualName(definition + "/" + task.stepName())
        .lowCardinalityKeyValue("definition", definition)
        .lowCardinalityKeyValue("step", task.stepName())
        .highCardinalityKeyValue("hapax.run.id", task.runId());
  }

  private static Observation.Context context(Task task) {
    ReceiverContext<String> context =
        new ReceiverContext<>((traceparent, key) -> HEADER.equals(key) ? traceparent : null);
    context.setCarrier(task.message().getRun().getTraceparent());
    return context;
  }

  void addTo(Worker.Builder builder) {
    UnaryOperator<Handler> own = wrapper;
    if (own != null) {
      builder.spans(own);
    }
  }
}
