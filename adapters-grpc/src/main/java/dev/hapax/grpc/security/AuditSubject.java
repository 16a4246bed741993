package dev.hapax.grpc.security;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.hapax.v1.RulesProto;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Finds what an audited call is about. Only fields that their proto marks as audited reach the
 * audit log, so no payload and no claim does.
 */
final class AuditSubject {
  private AuditSubject() {}

  /** The audited fields of a request or an answer; those of a message in it have a path. */
  static Map<String, String> of(Message message) {
    var found = new LinkedHashMap<String, String>();
    for (var field : message.getDescriptorForType().getFields()) {
      if (isAudited(field)) {
        put(found, field.getName(), message.getField(field));
      } else if (!field.isRepeated() && message.getField(field) instanceof Message nested) {
        for (var inside : nested.getDescriptorForType().getFields()) {
          if (isAudited(inside)) {
            put(found, field.getName() + "." + inside.getName(), nested.getField(inside));
          }
        }
      }
    }
    return found;
  }

  private static boolean isAudited(FieldDescriptor field) {
    return field.getOptions().getExtension(RulesProto.rules).getAudited();
  }

  private static void put(Map<String, String> found, String path, Object value) {
    if (value instanceof String text && !text.isEmpty()) {
      found.put(path, text);
    }
  }

  /** The caller's id of the request; empty = it has none. */
  static String requestId(Message request) {
    var field = request.getDescriptorForType().findFieldByName("request_id");
    return field != null && request.getField(field) instanceof String id ? id : "";
  }
}
