package dev.hapax.grpc.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.RulesProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The rules that the protos declare for the requests of one type. */
public final class RequestRules {
  private static final Map<Descriptor, RequestRules> BY_TYPE = new ConcurrentHashMap<>();

  private final List<FieldRule> fields;
  private final List<OneofDescriptor> choices;

  private RequestRules(Descriptor type) {
    this.fields = type.getFields().stream().flatMap(field -> FieldRule.of(field).stream()).toList();
    this.choices =
        type.getRealOneofs().stream()
            .filter(oneof -> oneof.getOptions().getExtension(RulesProto.choiceRequired))
            .toList();
  }

  /**
   * Checks a request. A request inside of it, such as a call on a stream, is checked by itself.
   *
   * @throws InvalidFieldException with all violations
   */
  public static void check(Message request) {
    var found = of(request.getDescriptorForType()).violations(request);
    if (!found.isEmpty()) {
      throw new InvalidFieldException(found);
    }
  }

  static RequestRules of(Descriptor type) {
    var known = BY_TYPE.get(type);
    if (known != null) {
      return known;
    }
    // not computeIfAbsent: the rules of a message need those of the messages in it
    var rules = new RequestRules(type);
    BY_TYPE.put(type, rules);
    return rules;
  }

  /** The most elements of a list in a request. */
  public static int maxItems(Descriptor request, String list) {
    return request.findFieldByName(list).getOptions().getExtension(RulesProto.rules).getMaxItems();
  }

  boolean isEmpty() {
    return fields.isEmpty() && choices.isEmpty();
  }

  List<Violation> violations(Message message) {
    List<Violation> found = List.of();
    for (var field : fields) {
      found = joined(found, field.violations(message));
    }
    for (var choice : choices) {
      if (!message.hasOneof(choice)) {
        found = joined(found, List.of(new Violation(choice.getName(), "must be " + names(choice))));
      }
    }
    return found;
  }

  private static String names(OneofDescriptor choice) {
    var names = choice.getFields().stream().map(FieldDescriptor::getName).toList();
    return String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast();
  }

  /** Almost every list is empty, and then nothing is allocated. */
  static List<Violation> joined(List<Violation> some, List<Violation> more) {
    if (some.isEmpty() || more.isEmpty()) {
      return some.isEmpty() ? more : some;
    }
    var all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }
}
