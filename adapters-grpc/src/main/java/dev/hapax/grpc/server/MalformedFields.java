package dev.hapax.grpc.server;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the field that makes a message malformed or too large, so that the error can name it. */
final class MalformedFields {
  private MalformedFields() {}

  /** The path of the first string that is not UTF-8, if the message can be parsed so far. */
  static Optional<String> notText(byte[] message, Descriptor type) {
    try {
      return notText(message, type, "");
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Optional<String> notText(byte[] message, Descriptor type, String path)
      throws IOException {
    var input = CodedInputStream.newInstance(message);
    while (!input.isAtEnd()) {
      var tag = input.readTag();
      var field = delimited(tag, type);
      if (field == null) {
        input.skipField(tag);
        continue;
      }
      var value = input.readByteArray();
      if (field.getType() == FieldDescriptor.Type.STRING && !isText(value)) {
        return Optional.of(path + field.getName());
      }
      if (field.getType() == FieldDescriptor.Type.MESSAGE) {
        var inside = notText(value, field.getMessageType(), path + field.getName() + ".");
        if (inside.isPresent()) {
          return inside;
        }
      }
    }
    return Optional.empty();
  }

  /** The known field with the most bytes. */
  static Optional<String> largest(byte[] message, Descriptor type) {
    Optional<String> largest = Optional.empty();
    var most = 0;
    try {
      var input = CodedInputStream.newInstance(message);
      while (!input.isAtEnd()) {
        var tag = input.readTag();
        var field = delimited(tag, type);
        var before = input.getTotalBytesRead();
        input.skipField(tag);
        var size = input.getTotalBytesRead() - before;
        if (size > most) {
          most = size;
          largest = Optional.ofNullable(field).map(FieldDescriptor::getName);
        }
      }
    } catch (IOException _) {
      return largest;
    }
    return largest;
  }

  private static @Nullable FieldDescriptor delimited(int tag, Descriptor type) {
    return WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED
        ? type.findFieldByNumber(WireFormat.getTagFieldNumber(tag))
        : null;
  }

  private static boolean isText(byte[] value) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
  }
}
