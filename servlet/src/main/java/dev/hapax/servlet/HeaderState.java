package dev.hapax.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The headers that outer filters had set before the handler ran. They are not recorded. */
final class HeaderState {

  private static final String COOKIE = "Set-Cookie";

  private final Map<String, List<String>> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final @Nullable String type;

  private HeaderState(HttpServletResponse wire) {
    for (String name : wire.getHeaderNames()) {
      values.put(name, List.copyOf(wire.getHeaders(name)));
    }
    type = wire.getContentType();
  }

  static HeaderState of(HttpServletResponse wire) {
    return new HeaderState(wire);
  }

  /** The headers that have changed since, without the content type. */
  List<StoredResponse.Header> changes(HttpServletResponse wire) {
    List<StoredResponse.Header> changed = new ArrayList<>();
    HeaderState after = new HeaderState(wire);
    after.values.forEach(
        (name, all) -> {
          List<String> former = values.getOrDefault(name, List.of());
          if (StoredResponse.isOfConnection(name)
              || name.equalsIgnoreCase("Content-Type")
              || all.equals(former)) {
            return;
          }
          for (String each : all) {
            if (!name.equalsIgnoreCase(COOKIE) || !former.contains(each)) {
              changed.add(new StoredResponse.Header(name, each));
            }
          }
        });
    return changed;
  }

  void restore(HttpServletResponse wire) {
    values.forEach(
        (name, all) -> {
          wire.setHeader(name, all.get(0));
          all.subList(1, all.size()).forEach(each -> wire.addHeader(name, each));
        });
    if (type != null) {
      wire.setContentType(type);
    }
  }
}
