package dev.hapax.bench.peers;

import java.util.Locale;

/** Builds an SVG picture in colours for light and dark pages. */
final class Svg {
  private static final String STYLE =
      """
      <style>
        text { font: 12px system-ui, sans-serif; fill: #24292f }
        .title { font-size: 15px; font-weight: 600 }
        .group { font-weight: 600 }
        .note { fill: #57606a }
        .axis { stroke: #8c959f; stroke-width: 1 }
        .grid { stroke: #d0d7de; stroke-width: 1 }
        .spread { stroke: #24292f; stroke-width: 1.5 }
        .line { fill: none; stroke-width: 2.5 }
        .jdbc { fill: #8c959f; stroke: #6e7781 }
        .db-scheduler { fill: #d4a72c; stroke: #bf8700 }
        .dbos { fill: #54aeff; stroke: #0969da }
        .hapax { fill: #4ac26b; stroke: #1a7f37 }
        .temporal { fill: #c297ff; stroke: #8250df }
        .restate { fill: #ff80c8; stroke: #bf3989 }
        rect.bar { stroke: none }
        path.line { fill: none }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 }
          .note { fill: #9198a1 }
          .grid { stroke: #3d444d }
          .spread { stroke: #e6edf3 }
        }
      </style>
      """;

  private final StringBuilder content = new StringBuilder();
  private final int width;

  Svg(int width) {
    this.width = width;
  }

  void text(String style, double x, double y, String text) {
    text(style, "start", x, y, text);
  }

  void text(String style, String anchor, double x, double y, String text) {
    add(
        "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>",
        style, anchor, x, y, escaped(text));
  }

  void bar(String style, double x, double y, double length, double height) {
    add(
        "<rect class=\"bar %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>",
        style, x, y, Math.max(1, length), height);
  }

  void line(String style, double fromX, double fromY, double toX, double toY) {
    add(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
        style, fromX, fromY, toX, toY);
  }

  /** Adds a line through points, given as the {@code d} of a path. */
  void path(String style, String points) {
    add("<path class=\"line %s\" d=\"%s\"/>", style, points);
  }

  /** Returns the picture; screen readers read {@code title}. */
  String picture(int height, String title) {
    return String.format(
        Locale.ROOT,
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">
        <title>%s</title>
        %s%s</svg>
        """,
        width,
        height,
        escaped(title),
        STYLE,
        content);
  }

  static String style(Peer peer) {
    return peer.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private void add(String format, Object... values) {
    content.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
