package dev.hapax.client.worker;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The changes of an execution to the run's state, by member name. */
final class StatePatch {

  private final Map<String, String> members = new LinkedHashMap<>();

  synchronized void put(String member, String json) {
    members.put(member, json);
  }

  /** Removes the changes to these members, which a later change has replaced. */
  synchronized void replaced(Set<String> names) {
    members.keySet().removeAll(names);
  }

  /** Takes the changes, to send them. */
  synchronized Map<String, String> take() {
    Map<String, String> taken = new LinkedHashMap<>(members);
    members.clear();
    return taken;
  }

  /** Gives changes back that were not sent; later ones replace them. */
  synchronized void giveBack(Map<String, String> unsent) {
    unsent.forEach(members::putIfAbsent);
  }

  /** Adds the changes that are left to the end of the execution. */
  synchronized Suspension addTo(Suspension suspension) {
    return members.isEmpty() ? suspension : suspension.withStatePatch(json(members));
  }

  /** As {@link #addTo(Suspension)}. */
  synchronized Completion addTo(Completion completion) {
    return members.isEmpty() ? completion : completion.withStatePatch(json(members));
  }

  static String json(Map<String, String> members) {
    return members.entrySet().stream()
        .map(member -> quoted(member.getKey()) + ":" + member.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
