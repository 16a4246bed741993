package dev.hapax.client;

import dev.hapax.v1.Payload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The changes of an execution to the run's state that are not sent yet: JSON by the member. */
final class StatePatch {

  private final Json json;
  private final Map<String, String> members = new LinkedHashMap<>();

  StatePatch(Json json) {
    this.json = json;
  }

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

  @Nullable Payload payload(Map<String, String> changes) {
    return changes.isEmpty()
        ? null
        : Payloads.json(
            changes.entrySet().stream()
                .map(member -> json.write(member.getKey()) + ":" + member.getValue())
                .collect(Collectors.joining(",", "{", "}")));
  }
}
