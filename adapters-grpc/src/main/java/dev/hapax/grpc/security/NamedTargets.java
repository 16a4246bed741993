package dev.hapax.grpc.security;

import dev.hapax.domain.security.Target;
import java.util.List;

/** The targets that requests name; a request without names acts on anything. */
final class NamedTargets {
  static final List<Target> ANYTHING = List.of(new Target.Anything());

  private NamedTargets() {}

  static List<Target> queues(List<String> names) {
    return names.isEmpty() ? ANYTHING : names.stream().<Target>map(Target.Queue::new).toList();
  }

  static List<Target> definitions(List<String> names) {
    return names.isEmpty() ? ANYTHING : names.stream().<Target>map(Target.Definition::new).toList();
  }
}
