package dev.hapax.console.lifecycle;

import dev.hapax.v1.Lifecycle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A lifecycle as a graph: statuses are boxes in columns, steps are arrows between them.
 *
 * @param current the status of the entity that is shown; empty = none
 */
public record LifecycleDrawing(
    int width, int height, List<Box> boxes, List<Arrow> arrows, String current) {
  private static final int LETTER = 8;
  private static final int BOX_HEIGHT = 34;
  private static final int BOX_PADDING = 36;
  private static final int ROW = 74;
  private static final int MARGIN = 16;

  /** Arrows beside and below boxes need this room. */
  private static final int DIP = 30;

  private static final int MIN_GAP = 72;
  private static final int LABEL_MARGIN = 32;

  /** The appearance of a status. */
  public enum Look {
    PLAIN,
    CLAIM_STATE
  }

  /** A status. */
  public record Box(String status, Look look, int x, int y, int width) {
    public int height() {
      return BOX_HEIGHT;
    }

    int right() {
      return x + width;
    }

    int middle() {
      return y + BOX_HEIGHT / 2;
    }
  }

  /** The kind of an arrow. */
  public enum Kind {
    BEGIN,
    SUCCESS,
    REVERT
  }

  /**
   * A way from one status to another.
   *
   * @param path the path data of SVG
   * @param label the keys of its steps; empty = it has none
   */
  public record Arrow(Kind kind, String path, String label, int labelX, int labelY) {}

  private record Way(Kind kind, String from, String to) {}

  /** Draws a lifecycle as GetLifecycle returns it. */
  public static LifecycleDrawing of(Lifecycle lifecycle, String current) {
    var ways = ways(LifecycleSteps.read(lifecycle.getJson()));
    var targets = new HashMap<String, Set<String>>();
    ways.keySet().stream()
        .filter(way -> way.kind() != Kind.REVERT && !way.from().equals(way.to()))
        .forEach(
            way -> targets.computeIfAbsent(way.from(), _ -> new LinkedHashSet<>()).add(way.to()));
    var ranks = StatusRanks.of(lifecycle.getStatusTypesList(), targets);
    var boxes = boxes(lifecycle, ranks, ways);
    var arrows = new ArrayList<Arrow>();
    ways.forEach(
        (way, labels) -> {
          var from = boxes.get(way.from());
          var to = boxes.get(way.to());
          if (from != null && to != null) {
            var columns = ranks.getOrDefault(way.to(), 0) - ranks.getOrDefault(way.from(), 0);
            var between =
                boxes.values().stream()
                    .filter(box -> box.x() > from.right() && box.right() < to.x())
                    .toList();
            arrows.add(
                ArrowPath.of(way.kind(), from, to, columns, between)
                    .arrow(way.kind(), String.join(", ", labels)));
          }
        });
    var bottom = boxes.values().stream().mapToInt(Box::middle).max().orElse(0);
    var right = boxes.values().stream().mapToInt(Box::right).max().orElse(0);
    return new LifecycleDrawing(
        right + MARGIN + DIP,
        bottom + BOX_HEIGHT + DIP,
        List.copyOf(boxes.values()),
        arrows,
        current);
  }

  /** Several steps between the same statuses are one arrow with all their keys. */
  private static Map<Way, Set<String>> ways(List<LifecycleEdge> edges) {
    var ways = new LinkedHashMap<Way, Set<String>>();
    for (var edge : edges) {
      var label =
          edge.requester().isEmpty()
              ? edge.stepKey()
              : edge.stepKey() + " (" + edge.requester() + ")";
      if (edge.claimState().isEmpty()) {
        add(ways, new Way(Kind.SUCCESS, edge.from(), edge.to())).add(label);
      } else {
        var claimed = edge.claimState().get();
        add(ways, new Way(Kind.BEGIN, edge.from(), claimed)).add(label);
        var _ = add(ways, new Way(Kind.SUCCESS, claimed, edge.to()));
        edge.revertTo().ifPresent(back -> add(ways, new Way(Kind.REVERT, claimed, back)));
      }
    }
    return ways;
  }

  private static Set<String> add(Map<Way, Set<String>> ways, Way way) {
    return ways.computeIfAbsent(way, _ -> new LinkedHashSet<>());
  }

  private static Map<String, Box> boxes(
      Lifecycle lifecycle, Map<String, Integer> ranks, Map<Way, Set<String>> ways) {
    var columns = new TreeMap<Integer, List<String>>();
    for (var status : lifecycle.getStatusTypesList()) {
      columns.computeIfAbsent(ranks.getOrDefault(status, 0), _ -> new ArrayList<>()).add(status);
    }
    var rows = columns.values().stream().mapToInt(List::size).max().orElse(0);
    var boxes = new LinkedHashMap<String, Box>();
    var x = MARGIN;
    for (var column : columns.values()) {
      var width = column.stream().mapToInt(LifecycleDrawing::boxWidth).max().orElse(0);
      var y = MARGIN + BOX_HEIGHT + (rows - column.size()) * ROW / 2;
      for (var status : column) {
        var look = lifecycle.getClaimStatesList().contains(status) ? Look.CLAIM_STATE : Look.PLAIN;
        boxes.put(status, new Box(status, look, x, y, width));
        y += ROW;
      }
      x += width + gap(ways, column);
    }
    return boxes;
  }

  private static int boxWidth(String status) {
    return status.length() * LETTER + BOX_PADDING;
  }

  /** The labels of arrows from a column stand right of it. */
  private static int gap(Map<Way, Set<String>> ways, List<String> column) {
    return ways.entrySet().stream()
        .filter(way -> column.contains(way.getKey().from()))
        .mapToInt(way -> String.join(", ", way.getValue()).length() * LETTER + LABEL_MARGIN)
        .reduce(MIN_GAP, Math::max);
  }
}
