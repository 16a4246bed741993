package dev.hapax.http;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.regex.Pattern;

/** Reads and writes messages as JSON. */
final class JsonMessages {
  /** The longest name of a field in an error. */
  private static final int MAX_CAUSE = 200;

  /** A value that the parser repeats, such as a payload in the place of another field. */
  private static final Pattern VALUE =
      Pattern.compile(
          "\\b(value: |got: |found: |found |data: |timestamp: |duration: ).*?"
              + "( for (?:enum|expected) type: \\S+)?$");

  private static final String UNKNOWN_FIELD = "Cannot find field: ";

  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();
  private static final JsonFormat.Parser STRICT = JsonFormat.parser();
  private static final JsonFormat.Parser TOLERANT = JsonFormat.parser().ignoringUnknownFields();

  private JsonMessages() {}

  /** Returns the JSON of a message. */
  static String print(MessageOrBuilder message) {
    try {
      return PRINTER.print(message);
    } catch (InvalidProtocolBufferException e) {
      // only an Any of an unknown type has no JSON, and the API has no Any
      throw new IllegalStateException(
          message.getDescriptorForType().getFullName() + " has no JSON", e);
    }
  }

  /**
   * Reads a message.
   *
   * @param strict whether a field that the message does not have is an error
   */
  static Message parse(byte[] json, Message prototype, boolean strict)
      throws RefusedRequestException {
    var text = text(json);
    var problem = JsonSyntax.problem(text);
    if (problem.isPresent()) {
      throw RefusedRequestException.unreadable("request " + problem.get());
    }
    var violation = JsonFields.violation(text, prototype.getDescriptorForType());
    if (violation.isPresent()) {
      throw RefusedRequestException.invalid(violation.get().field(), violation.get().rule());
    }
    var message = prototype.newBuilderForType();
    try {
      (strict ? STRICT : TOLERANT).merge(text, message);
    } catch (InvalidProtocolBufferException e) {
      throw RefusedRequestException.unreadable(
          "request is not the JSON of a %s: %s"
              .formatted(prototype.getDescriptorForType().getFullName(), cause(e)));
    }
    var built = message.build();
    if (hasUnpairedSurrogate(built)) {
      throw RefusedRequestException.unreadable(
          "request has a text with an unpaired surrogate (\\ud800 to \\udfff); send both halves");
    }
    return built;
  }

  private static String text(byte[] json) throws RefusedRequestException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
    } catch (CharacterCodingException _) {
      throw RefusedRequestException.unreadable("request is not UTF-8");
    }
  }

  private static String cause(InvalidProtocolBufferException e) {
    var text = String.valueOf(e.getMessage()).replaceFirst("^(\\w+\\.)+\\w+Exception: ", "");
    var first = text.lines().findFirst().orElse("");
    var line =
        first.startsWith(UNKNOWN_FIELD) ? first : VALUE.matcher(first).replaceFirst("$1...$2");
    return line.length() <= MAX_CAUSE ? line : line.substring(0, MAX_CAUSE) + "...";
  }

  /** JSON can write such a text, and Protobuf would change it to a question mark. */
  private static boolean hasUnpairedSurrogate(Object value) {
    return switch (value) {
      case String text -> !StandardCharsets.UTF_8.newEncoder().canEncode(text);
      case Message message -> hasUnpairedSurrogate(message.getAllFields().values());
      case Collection<?> values -> values.stream().anyMatch(JsonMessages::hasUnpairedSurrogate);
      default -> false;
    };
  }
}
