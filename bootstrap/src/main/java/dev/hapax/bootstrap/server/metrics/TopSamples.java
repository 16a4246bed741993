package dev.hapax.bootstrap.server.metrics;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Bounds the samples of a gauge: the first {@link TopLabels#MAX} are exported, and the rest becomes
 * one sample with the label values {@code other}.
 *
 * @param merge combines the remaining values
 */
record TopSamples(DoubleBinaryOperator merge) {
  /** A value with its labels. */
  record Sample(List<String> labels, double value) {
    Sample {
      labels = List.copyOf(labels);
    }
  }

  <T> Stream<Sample> of(List<T> all, ToDoubleFunction<T> value, Function<T, List<String>> labels) {
    var shown =
        all.stream()
            .limit(TopLabels.MAX)
            .map(item -> new Sample(labels.apply(item), value.applyAsDouble(item)));
    if (all.size() <= TopLabels.MAX) {
      return shown;
    }
    var rest = all.subList(TopLabels.MAX, all.size());
    var others = labels.apply(rest.getFirst()).stream().map(_ -> TopLabels.OTHER).toList();
    var merged = rest.stream().mapToDouble(value).reduce(merge).orElseThrow();
    return Stream.concat(shown, Stream.of(new Sample(others, merged)));
  }
}
