package dev.hapax.bootstrap.server.metrics;

import dev.hapax.application.run.PollRequest;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The number of polls that wait for tasks on this server. */
final class PollMetrics {
  private final Supplier<List<PollRequest>> polls;

  PollMetrics(Supplier<List<PollRequest>> polls) {
    this.polls = polls;
  }

  void register(PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("hapax_polls_waiting")
        .help("Polls that wait for tasks of a queue; a poll of several queues counts in each.")
        .labelNames("workspace", "queue")
        .callback(
            callback ->
                new TopSamples(Double::sum)
                    .of(byNumber(), Map.Entry::getValue, Map.Entry::getKey)
                    .forEach(
                        sample ->
                            callback.call(sample.value(), sample.labels().toArray(String[]::new))))
        .register(registry);
  }

  private List<Map.Entry<List<String>, Long>> byNumber() {
    return polls.get().stream()
        .flatMap(
            poll -> poll.queues().stream().map(queue -> List.of(poll.workspace().name(), queue)))
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
        .entrySet()
        .stream()
        .sorted(Map.Entry.<List<String>, Long>comparingByValue().reversed())
        .toList();
  }
}
