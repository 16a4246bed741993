package dev.hapax.console.lifecycle;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Reads the steps of a lifecycle from its JSON, which the server has validated and printed. */
final class LifecycleSteps {
  private static final List<String> CLAIM_STATE = List.of("successful_claim_state", "claim_state");
  private static final List<String> TARGET = List.of("successful_state");
  private static final List<String> ACTION = List.of("action");
  private static final List<String> AFTER_EFFECT = List.of("success_after_effect");

  private LifecycleSteps() {}

  /** The steps in their order, each once for every requester that may take it. */
  static List<LifecycleEdge> read(String json) {
    var document = Struct.newBuilder();
    try {
      JsonFormat.parser().merge(json, document);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the server printed a lifecycle that is no JSON", e);
    }
    return items(document.build(), "steps").stream()
        .map(Value::getStructValue)
        .flatMap(LifecycleSteps::edges)
        .toList();
  }

  private static List<Value> items(Struct object, String field) {
    return object
        .getFieldsOrDefault(field, Value.getDefaultInstance())
        .getListValue()
        .getValuesList();
  }

  private static Stream<LifecycleEdge> edges(Struct step) {
    var requesters = new TreeSet<String>();
    Stream.of(CLAIM_STATE, TARGET, ACTION, AFTER_EFFECT)
        .map(names -> field(step, names))
        .forEach(value -> requesters.addAll(value.getStructValue().getFieldsMap().keySet()));
    return (requesters.isEmpty() ? Stream.of("") : requesters.stream())
        .flatMap(requester -> edge(step, requester).stream());
  }

  /** A requester without a status after success may not take the step. */
  private static Optional<LifecycleEdge> edge(Struct step, String requester) {
    var states =
        of(step, CLAIM_STATE, requester).getListValue().getValuesList().stream()
            .map(Value::getStringValue)
            .toList();
    var to = of(step, TARGET, requester).getStringValue();
    return Optional.of(to)
        .filter(status -> !status.isEmpty())
        .map(
            status ->
                new LifecycleEdge(
                    field(step, List.of("step_key")).getStringValue(),
                    requester,
                    field(step, List.of("status")).getStringValue(),
                    states.stream().findFirst(),
                    states.stream().skip(1).findFirst(),
                    status,
                    of(step, ACTION, requester).getStringValue(),
                    of(step, AFTER_EFFECT, requester).getStringValue()));
  }

  /** One value is for all requesters, an object has one for each. */
  private static Value of(Struct step, List<String> names, String requester) {
    var value = field(step, names);
    return value.hasStructValue()
        ? value.getStructValue().getFieldsOrDefault(requester, Value.getDefaultInstance())
        : value;
  }

  private static Value field(Struct step, List<String> names) {
    return names.stream()
        .filter(step::containsFields)
        .map(step::getFieldsOrThrow)
        .findFirst()
        .orElse(Value.getDefaultInstance());
  }
}
