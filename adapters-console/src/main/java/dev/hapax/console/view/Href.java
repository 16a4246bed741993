package dev.hapax.console.view;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Addresses of pages. */
public final class Href {
  private Href() {}

  /** The address of a page in a workspace; each segment is encoded. */
  public static String of(String workspace, String... segments) {
    return "/w/"
        + encoded(workspace)
        + "/"
        + Arrays.stream(segments).map(Href::encoded).collect(Collectors.joining("/"));
  }

  /** Encodes a text for a segment of a path or a value of a query. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
