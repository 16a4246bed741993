package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds what an audited call is about. Only the fields that are listed here reach the audit log, so
 * no payload and no claim does.
 */
final class AuditSubject {
  /** The fields of requests; a message is a path of two names. */
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
          "contract.module");

  /** The name of an applied lifecycle is only in its answer. */
  private static final List<String> OF_ANSWER = List.of("lifecycle.name");

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

  private static String text(Message message, String path) {
    var dot = path.indexOf('.');
    var field =
        message.getDescriptorForType().findFieldByName(dot < 0 ? path : path.substring(0, dot));
    if (field == null || field.isRepeated()) {
      return "";
    }
    return switch (message.getField(field)) {
      case Message nested when dot >= 0 -> text(nested, path.substring(dot + 1));
      case String text when dot < 0 -> text;
      default -> "";
    };
  }
}
