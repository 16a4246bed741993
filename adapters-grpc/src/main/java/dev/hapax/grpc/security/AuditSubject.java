package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds what an audited call is about. Only the fields that are listed here reach the audit log, so
 * no payload and no claim does.
 */
final class AuditSubject {
  /** The fields of requests; a field of a message is a path of names. */
  private static final List<String> OF_REQUEST =
      List.of(
          "run_id",
          "key.account",
          "key.operation",
          "key.request_id",
          "lifecycle",
          "entity_id",
          "name",
          "version",
          "module",
          "contract.module",
          "janitors.module");

  /** The names of applied lifecycles are only in the answer. */
  private static final List<String> OF_ANSWER = List.of("lifecycles.lifecycle.name");

  /** The number of names of one field; a set may have a thousand. */
  private static final int MAX_NAMES = 20;

  private AuditSubject() {}

  static Map<String, String> ofRequest(Message request) {
    return fields(request, OF_REQUEST);
  }

  static Map<String, String> ofAnswer(Message answer) {
    return fields(answer, OF_ANSWER);
  }

  /** The caller's id of the request; empty = it has none. */
  static String requestId(Message request) {
    return text(request, "request_id");
  }

  private static Map<String, String> fields(Message message, List<String> paths) {
    var found = new LinkedHashMap<String, String>();
    for (var path : paths) {
      var value = text(message, path);
      if (!value.isEmpty()) {
        found.put(path, value);
      }
    }
    return found;
  }

  /** Returns the text of a field; those of a repeated field are in one text. */
  private static String text(Message message, String path) {
    return texts(message, path)
        .filter(text -> !text.isEmpty())
        .limit(MAX_NAMES)
        .collect(Collectors.joining(", "));
  }

  private static Stream<String> texts(Message message, String path) {
    var dot = path.indexOf('.');
    var field =
        message.getDescriptorForType().findFieldByName(dot < 0 ? path : path.substring(0, dot));
    if (field == null) {
      return Stream.empty();
    }
    var value = message.getField(field);
    var values = value instanceof List<?> repeated ? repeated : List.of(value);
    return values.stream()
        .flatMap(
            each ->
                switch (each) {
                  case Message nested when dot >= 0 -> texts(nested, path.substring(dot + 1));
                  case String text when dot < 0 -> Stream.of(text);
                  default -> Stream.empty();
                });
  }
}
