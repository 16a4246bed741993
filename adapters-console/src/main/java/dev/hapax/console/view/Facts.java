package dev.hapax.console.view;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.hapax.v1.Payload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reads the fields that are set in a message, so that a page shows what is added to the API too.
 *
 * @param workspace where ids lead to
 * @param now the time at which the page is made
 */
public record Facts(String workspace, Instant now) {
  private static final String RUN = "run_";

  /** The set fields, in the order of their numbers. */
  public List<Fact> of(Message message) {
    var facts = new ArrayList<Fact>();
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              if (field.isRepeated()) {
                ((List<?>) value).forEach(item -> facts.add(fact(field, item)));
              } else {
                facts.add(fact(field, value));
              }
            });
    return facts;
  }

  /** The content of a payload for reading. */
  public static String text(Payload payload) {
    return switch (payload.getContentCase()) {
      case JSON -> PrettyJson.of(payload.getJson());
      case BINARY -> payload.getBinary().size() + " bytes";
      case CONTENT_NOT_SET -> "";
    };
  }

  private Fact fact(FieldDescriptor field, Object value) {
    return new Fact(field.getName().replace('_', ' '), value(field, value));
  }

  private Fact.Value value(FieldDescriptor field, Object value) {
    return switch (value) {
      case Timestamp at -> new Fact.At(DisplayTime.of(at, now));
      case Duration length -> new Fact.Plain(Durations.toString(length));
      case Payload payload -> new Fact.Code(text(payload));
      case Message message -> new Fact.Group(of(message));
      case ByteString bytes -> new Fact.Plain(bytes.size() + " bytes");
      case EnumValueDescriptor choice -> new Fact.Plain(word(choice));
      case String text
          when text.startsWith(RUN) && field.getName().matches(".*run_id|super.*|requester") ->
          new Fact.Link(text, Address.ofRun(workspace, text).href());
      case String text when field.getName().equals("stack") -> new Fact.Code(text);
      default -> new Fact.Plain(String.valueOf(value));
    };
  }

  /**
   * Without the name of its type: {@code RETRY_SCHEDULED} for {@code
   * RUN_EVENT_TYPE_RETRY_SCHEDULED}.
   */
  private static String word(EnumValueDescriptor choice) {
    var type = choice.getType().getName().replaceAll("(?<=[a-z])(?=[A-Z])", "_");
    return choice.getName().replace(type.toUpperCase(Locale.ROOT) + "_", "");
  }
}
