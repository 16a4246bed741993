package dev.hapax.console.lifecycle;

import dev.hapax.console.lifecycle.LifecycleDrawing.Arrow;
import dev.hapax.console.lifecycle.LifecycleDrawing.Box;
import dev.hapax.console.lifecycle.LifecycleDrawing.Kind;
import java.util.List;
import java.util.Locale;

/** The way of an arrow: a Bézier curve with two control points. */
record ArrowPath(int x1, int y1, int cx1, int cy1, int cx2, int cy2, int x2, int y2) {
  /** Where arrows meet a side of a box, so that those that lead back are apart from the others. */
  private static final int FORTH = -4;

  private static final int BACK = 4;
  private static final int REVERT = 12;
  private static final int LOOP = 18;
  private static final int ABOVE_BOXES = 20;
  private static final double MIDDLE_WEIGHT = 0.75;

  private static final int DIP = 34;
  private static final int LABEL_ABOVE = 5;

  /** Where labels stand: not in the middle, where curves cross. */
  private static final double LABEL_AT = 0.6;

  /**
   * Finds the way.
   *
   * @param columns how many columns it leads to the right
   * @param between the boxes in the columns between
   */
  static ArrowPath of(Kind kind, Box from, Box to, int columns, List<Box> between) {
    if (from.equals(to)) {
      return loop(from);
    }
    if (columns > 0) {
      var way = across(from.right(), from.middle() + FORTH, to.x(), to.middle() + FORTH);
      return between.isEmpty() ? way : way.over(between);
    }
    if (columns == -1) {
      var side = kind == Kind.REVERT ? REVERT : BACK;
      return across(from.x(), from.middle() + side, to.right(), to.middle() + side);
    }
    return columns == 0 ? beside(from, to) : below(from, to);
  }

  /** The same way with a bend above boxes that are in its way. */
  private ArrowPath over(List<Box> between) {
    var top = between.stream().mapToInt(Box::y).min().orElse(y1) - ABOVE_BOXES;
    var bend = (int) ((top - (1 - MIDDLE_WEIGHT) * (y1 + y2) / 2) / MIDDLE_WEIGHT);
    return new ArrowPath(x1, y1, x1, bend, x2, bend, x2, y2);
  }

  private static ArrowPath across(int x1, int y1, int x2, int y2) {
    var half = (x2 - x1) / 2;
    return new ArrowPath(x1, y1, x1 + half, y1, x2 - half, y2, x2, y2);
  }

  private static ArrowPath loop(Box box) {
    var middle = box.x() + box.width() / 2;
    var top = box.y() - DIP;
    return new ArrowPath(
        middle - LOOP, box.y(), middle - LOOP, top, middle + LOOP, top, middle + LOOP, box.y());
  }

  private static ArrowPath beside(Box from, Box to) {
    var out = Math.max(from.right(), to.right()) + DIP;
    return new ArrowPath(
        from.right(), from.middle(), out, from.middle(), out, to.middle(), to.right(), to.middle());
  }

  private static ArrowPath below(Box from, Box to) {
    var x1 = from.x() + from.width() / 2;
    var x2 = to.x() + to.width() / 2;
    var y1 = from.y() + from.height();
    var y2 = to.y() + to.height();
    return new ArrowPath(x1, y1, x1, y1 + DIP, x2, y2 + DIP, x2, y2);
  }

  Arrow arrow(Kind kind, String label) {
    var path =
        String.format(Locale.ROOT, "M%d %d C%d %d %d %d %d %d", x1, y1, cx1, cy1, cx2, cy2, x2, y2);
    return new Arrow(kind, path, label, at(x1, cx1, cx2, x2), at(y1, cy1, cy2, y2) - LABEL_ABOVE);
  }

  private static int at(int from, int first, int second, int to) {
    var rest = 1 - LABEL_AT;
    return (int)
        Math.round(
            from * rest * rest * rest
                + 3 * first * rest * rest * LABEL_AT
                + 3 * second * rest * LABEL_AT * LABEL_AT
                + to * LABEL_AT * LABEL_AT * LABEL_AT);
  }
}
