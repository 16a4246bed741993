package dev.hapax.domain.lifecycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Renders a lifecycle as graph source text. Claim states are dashed or labelled. */
public final class LifecycleGraph {
  private final Lifecycle lifecycle;

  private record Edge(String from, String to, String label) {}

  public LifecycleGraph(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  /** Renders for Mermaid. */
  public String mermaid() {
    return Stream.concat(
            statuses(
                (id, status, claimed) ->
                    "  state \"%s\" as %s"
                        .formatted(mermaid(status) + (claimed ? " (claimed)" : ""), id)),
            edges().stream()
                .map(
                    edge ->
                        "  %s --> %s : %s"
                            .formatted(id(edge.from()), id(edge.to()), mermaid(edge.label()))))
        .collect(Collectors.joining("\n", "stateDiagram-v2\n", "\n"));
  }

  /** Renders for Graphviz. */
  public String dot() {
    return Stream.concat(
            statuses(
                (id, status, claimed) ->
                    "  %s [label=%s%s];"
                        .formatted(id, quoted(status), claimed ? ", style=dashed" : "")),
            edges().stream()
                .map(
                    edge ->
                        "  %s -> %s [label=%s];"
                            .formatted(id(edge.from()), id(edge.to()), quoted(edge.label()))))
        .collect(Collectors.joining("\n", "digraph " + quoted(lifecycle.name()) + " {\n", "\n}\n"));
  }

  /** Renders one status. */
  private interface Line {
    String of(String id, String status, boolean claimed);
  }

  private Stream<String> statuses(Line line) {
    var claimStates = lifecycle.claimStates();
    return IntStream.range(0, lifecycle.statuses().size())
        .mapToObj(
            i -> {
              var status = lifecycle.statuses().get(i);
              return line.of("s" + i, status, claimStates.contains(status));
            });
  }

  /** The graph id of a status, whose name may contain any character. */
  private String id(String status) {
    return "s" + lifecycle.statuses().indexOf(status);
  }

  private List<Edge> edges() {
    var edges = new ArrayList<Edge>();
    for (var step : lifecycle.steps()) {
      step.to().entries().forEach(target -> edges.addAll(edges(step, target)));
    }
    return edges.stream().distinct().toList();
  }

  private static List<Edge> edges(LifecycleStep step, PerRequester.Entry<String> target) {
    var requester = target.requester();
    var label = step.key() + requester.map(name -> " (" + name + ")").orElse("");
    var claim = requester.isPresent() ? step.claim().of(requester.get()) : step.claim().all();
    return claim
        .map(
            states ->
                List.of(
                    new Edge(step.status(), states.into(), label),
                    new Edge(states.into(), target.value(), "success"),
                    new Edge(states.into(), states.revertTo(), "else")))
        .orElseGet(
            () ->
                Stream.concat(
                        Stream.of(new Edge(step.status(), target.value(), label)),
                        claimedByName(step, requester))
                    .toList());
  }

  /** The edges of a step that all requesters may take and only some claim. */
  private static Stream<Edge> claimedByName(LifecycleStep step, Optional<String> requester) {
    return requester.isPresent()
        ? Stream.empty()
        : step.claim().named().keySet().stream()
            .sorted()
            .flatMap(
                name ->
                    step.to().of(name).stream()
                        .flatMap(
                            to ->
                                edges(step, new PerRequester.Entry<>(Optional.of(name), to))
                                    .stream()));
  }

  private static String mermaid(String text) {
    return text.replace('"', '\'').replace(':', ' ').replace(';', ' ');
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
