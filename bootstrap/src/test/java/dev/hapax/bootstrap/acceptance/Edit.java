package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Objects;

/** Changes messages by the names of their fields. */
final class Edit {
  private static final String FIRST = "[0]";

  private Edit() {}

  /**
   * Sets the field of this path, such as {@code failure.code} or {@code steps[0].name}; there is
   * nothing behind the first element of a list.
   */
  static Message.Builder set(Message.Builder message, String path, Object value) {
    var dot = path.indexOf('.');
    if (dot >= 0) {
      set(inside(message, path.substring(0, dot)), path.substring(dot + 1), value);
      return message;
    }
    var field = field(message.getDescriptorForType(), path);
    return message.setField(field, field.isRepeated() ? List.of(value) : value);
  }

  static Message.Builder clear(Message.Builder message, String path) {
    var dot = path.indexOf('.');
    if (dot < 0) {
      return message.clearField(field(message.getDescriptorForType(), path));
    }
    clear(inside(message, path.substring(0, dot)), path.substring(dot + 1));
    return message;
  }

  private static Message.Builder inside(Message.Builder message, String name) {
    var field = field(message.getDescriptorForType(), name);
    if (!field.isRepeated()) {
      return message.getFieldBuilder(field);
    }
    if (message.getRepeatedFieldCount(field) == 0) {
      message.addRepeatedField(field, message.newBuilderForField(field).build());
    }
    return message.getRepeatedFieldBuilder(field, 0);
  }

  private static FieldDescriptor field(Descriptor type, String name) {
    return Objects.requireNonNull(type.findFieldByName(name.replace(FIRST, "")), name);
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
