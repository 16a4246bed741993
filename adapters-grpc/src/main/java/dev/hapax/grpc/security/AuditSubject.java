package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import dev.hapax.v1.RulesProto;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds what an audited call is about. Only fields that their proto marks as audited reach the
 * audit log, so no payload and no claim does.
 */
final class AuditSubject {
  /** The number of names of one field; a set of lifecycles may have a thousand. */
  private static final int MAX_NAMES = 20;

  private AuditSubject() {}

  /** The audited fields of a request or an answer by their paths; those in a list are one text. */
  static Map<String, String> of(Message message) {
    var found = new LinkedHashMap<String, List<String>>();
    collect(message, "", found);
    var subject = new LinkedHashMap<String, String>();
    found.forEach((path, names) -> subject.put(path, String.join(", ", names)));
    return subject;
  }

  private static void collect(Message message, String prefix, Map<String, List<String>> found) {
    for (var field : message.getDescriptorForType().getFields()) {
      var path = prefix + field.getName();
      for (var value : RequestTargets.values(message, field)) {
        if (value instanceof Message nested) {
          collect(nested, path + ".", found);
        } else if (field.getOptions().getExtension(RulesProto.rules).getAudited()
            && value instanceof String text
            && !text.isEmpty()) {
          var names = found.computeIfAbsent(path, _ -> new ArrayList<>());
          if (names.size() < MAX_NAMES) {
            names.add(text);
          }
        }
      }
    }
  }

  /** The caller's id of the request; empty = it has none. */
  static String requestId(Message request) {
    var field = request.getDescriptorForType().findFieldByName("request_id");
    return field != null && request.getField(field) instanceof String id ? id : "";
  }
}
