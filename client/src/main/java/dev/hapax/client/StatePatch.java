package dev.hapax.client;

import dev.hapax.v1.Payload;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The changes of an execution to the run's state that are not sent yet: JSON by the member. */
final class StatePatch {

  private final Map<String, String> members = new LinkedHashMap<>();

  synchronized void put(String member, String value) {
    members.put(member, value);
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

  /** The changes that are left, as one payload; null = none. */
  synchronized @Nullable Payload left() {
    return payload(members);
  }

  static @Nullable Payload payload(Map<String, String> changes) {
    return changes.isEmpty()
        ? null
        : Payloads.json(
            changes.entrySet().stream()
                .map(member -> quoted(member.getKey()) + ":" + member.getValue())
                .collect(Collectors.joining(",", "{", "}")));
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
