package dev.hapax.grpc.security;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.security.Target;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FieldRules;
import dev.hapax.v1.RulesProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Finds what a request acts on, by the targets that its proto declares. */
public final class RequestTargets {
  private static final Map<Descriptor, List<Field>> BY_TYPE = new ConcurrentHashMap<>();
  private static final List<Target> ANYTHING = List.of(new Target.Anything());

  private String workspace = "";
  private boolean isInWorkspace;
  private final List<Target> targets = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();

  private RequestTargets() {}

  /**
   * What a request acts on.
   *
   * @param workspaces their names, which may be invalid; none = the request acts on nothing
   * @param targets all of them must be permitted
   */
  public record Scope(List<String> workspaces, List<Target> targets) {}

  private record Field(FieldDescriptor field, FieldRules rules) {}

  /** Whether the requests of a type can act on workspaces. */
  public static boolean hasAny(Descriptor type) {
    return !fields(type).isEmpty();
  }

  /** Reads the targets of a request. */
  public static Scope of(Message request) {
    var found = new RequestTargets();
    found.add(request);
    return new Scope(
        found.workspaces(), found.targets.isEmpty() ? ANYTHING : List.copyOf(found.targets));
  }

  private static List<Field> fields(Descriptor type) {
    return BY_TYPE.computeIfAbsent(
        type,
        of ->
            of.getFields().stream()
                .map(field -> new Field(field, field.getOptions().getExtension(RulesProto.rules)))
                .filter(each -> each.rules.getTargetValue() != 0)
                .toList());
  }

  private void add(Message message) {
    for (var each : fields(message.getDescriptorForType())) {
      switch (each.rules.getTarget()) {
        case TARGET_WORKSPACE -> {
          // the first one counts: the starts of a batch are in the workspace of the batch
          workspace = isInWorkspace ? workspace : (String) message.getField(each.field);
          isInWorkspace = true;
        }
        case TARGET_DEFINITION ->
            values(message, each.field)
                .forEach(name -> targets.add(new Target.Definition((String) name)));
        case TARGET_QUEUE ->
            values(message, each.field)
                .forEach(name -> targets.add(new Target.Queue((String) name)));
        case TARGET_CLAIM ->
            values(message, each.field).forEach(claim -> claims.add((Claim) claim));
        case TARGET_TASK_CLAIM -> {
          var sent = values(message, each.field);
          sent.forEach(claim -> claims.add((Claim) claim));
          if (!sent.isEmpty() || each.rules.getRequired()) {
            targets.add(new Target.HeldTask());
          }
        }
        case TARGET_INSIDE -> values(message, each.field).forEach(inside -> add((Message) inside));
        case TARGET_UNSPECIFIED, UNRECOGNIZED ->
            throw new IllegalStateException("not of this server: " + each.field);
      }
    }
  }

  /** The elements of a list; the value of another field, unless it is an unset message. */
  static List<?> values(Message message, FieldDescriptor field) {
    if (field.isRepeated()) {
      return (List<?>) message.getField(field);
    }
    return field.hasPresence() && !message.hasField(field)
        ? List.of()
        : List.of(message.getField(field));
  }

  private List<String> workspaces() {
    if (!isInWorkspace) {
      return List.of();
    }
    if (!workspace.isEmpty() || claims.isEmpty()) {
      return List.of(workspace.isEmpty() ? Workspace.DEFAULT.name() : workspace);
    }
    return claims.stream()
        .map(claim -> ClaimKind.workspaceOf(claim).orElse(Workspace.DEFAULT).name())
        .distinct()
        .toList();
  }
}
