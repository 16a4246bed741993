package dev.hapax.grpc.limit;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Counts the calls of a request message by workspace; a message on a stream may carry many. */
final class RequestWorkspaces {
  private static final String WORKSPACE = "workspace";

  /** The field of a stream's message with its calls, and that of StartRuns. */
  private static final List<String> REPEATED = List.of("calls", "requests");

  /** What one type of message has; a field that is absent is empty. */
  private record Fields(List<FieldDescriptor> workspace, List<FieldDescriptor> repeated) {
    static Fields of(Descriptor type) {
      return new Fields(
          type.getFields().stream()
              .filter(field -> field.getName().equals(WORKSPACE))
              .filter(field -> field.getJavaType() == JavaType.STRING && !field.isRepeated())
              .toList(),
          type.getFields().stream()
              .filter(field -> REPEATED.contains(field.getName()))
              .filter(field -> field.getJavaType() == JavaType.MESSAGE && field.isRepeated())
              .toList());
    }
  }

  private final ConcurrentMap<Descriptor, Fields> types = new ConcurrentHashMap<>();

  /** The number of calls for each workspace; a message without a valid workspace has none. */
  Map<String, Integer> calls(Message message) {
    var fields = types.computeIfAbsent(message.getDescriptorForType(), Fields::of);
    if (!fields.workspace().isEmpty()) {
      var count = fields.repeated().stream().mapToInt(message::getRepeatedFieldCount).sum();
      return workspace(message, fields)
          .map(name -> Map.of(name, Math.max(1, count)))
          .orElse(Map.of());
    }
    var counts = new TreeMap<String, Integer>();
    for (var list : fields.repeated()) {
      for (var i = 0; i < message.getRepeatedFieldCount(list); i++) {
        request((Message) message.getRepeatedField(list, i))
            .flatMap(this::workspace)
            .ifPresent(name -> counts.merge(name, 1, Integer::sum));
      }
    }
    return counts;
  }

  /** The request of a call on a stream: the only message in it. */
  private static Optional<Message> request(Message call) {
    return call.getAllFields().values().stream()
        .filter(Message.class::isInstance)
        .map(Message.class::cast)
        .findFirst();
  }

  private Optional<String> workspace(Message message) {
    return workspace(message, types.computeIfAbsent(message.getDescriptorForType(), Fields::of));
  }

  private static Optional<String> workspace(Message message, Fields fields) {
    return fields.workspace().stream()
        .map(field -> (String) message.getField(field))
        .map(name -> name.isEmpty() ? Workspace.DEFAULT.name() : name)
        // the handler rejects the others
        .filter(Workspace::isValid)
        .findFirst();
  }
}
