package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Changes messages by the names of their fields. */
final class Edit {
  private Edit() {}

  /** Sets the field of this path, such as {@code failure.code}; null clears it. */
  static Message.Builder set(Message.Builder message, String path, Object value) {
    var dot = path.indexOf('.');
    if (dot < 0) {
      message.setField(field(message.getDescriptorForType(), path), value);
    } else {
      set(
          message.getFieldBuilder(field(message.getDescriptorForType(), path.substring(0, dot))),
          path.substring(dot + 1),
          value);
    }
    return message;
  }

  static Message.Builder clear(Message.Builder message, String path) {
    var dot = path.indexOf('.');
    if (dot < 0) {
      message.clearField(field(message.getDescriptorForType(), path));
    } else {
      clear(
          message.getFieldBuilder(field(message.getDescriptorForType(), path.substring(0, dot))),
          path.substring(dot + 1));
    }
    return message;
  }

  private static FieldDescriptor field(Descriptor type, String name) {
    return Objects.requireNonNull(type.findFieldByName(name), name);
  }

  /** The paths of all string fields. */
  static List<String> texts(Descriptor type) {
    var paths = new ArrayList<String>();
    collect(type, "", paths);
    return paths;
  }

  private static void collect(Descriptor type, String prefix, List<String> paths) {
    for (var field : type.getFields()) {
      var path = prefix + field.getName();
      if (field.getJavaType() == JavaType.STRING) {
        paths.add(path);
      } else if (field.getJavaType() == JavaType.MESSAGE) {
        collect(field.getMessageType(), path + ".", paths);
      }
    }
  }

  /** The message with these bytes where its text has three of them: {@code @@@}. */
  static byte[] withBytes(Message message, int... bytes) {
    var sent = message.toByteArray();
    for (var i = 0; i + 2 < sent.length; i++) {
      if (sent[i] == '@' && sent[i + 1] == '@' && sent[i + 2] == '@') {
        for (var k = 0; k < bytes.length; k++) {
          sent[i + k] = (byte) bytes[k];
        }
        return sent;
      }
    }
    throw new IllegalArgumentException("has no @@@");
  }
}
