package dev.hapax.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to what Hapax stores, and back. Immutable. What it throws means that the value
 * cannot be stored, or not be read.
 *
 * @param <T> the values
 */
public final class Codec<T extends @Nullable Object> {

  private final Writer<T> writer;
  private final Reader<T> reader;

  /** Needs the JSON of the client. */
  private interface Writer<T extends @Nullable Object> {
    @Nullable Value write(T value, Json json);
  }

  /** Needs the JSON of the client. */
  private interface Reader<T extends @Nullable Object> {
    T read(@Nullable Value stored, Json json);
  }

  private Codec(Writer<T> writer, Reader<T> reader) {
    this.writer = writer;
    this.reader = reader;
  }

  /** Values with a JSON, by the {@link Json} of the client. Null is stored as no value. */
  public static <T> Codec<T> json(Class<T> type) {
    return ofJson(type);
  }

  /** As {@link #json(Class)}, for a type with arguments. */
  public static <T> Codec<T> json(TypeRef<T> type) {
    return ofJson(type.type());
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the type is that of T; JSON may be null
  private static <T> Codec<T> ofJson(Type type) {
    return new Codec<>(
        (value, json) -> value == null ? null : new Value.Json(json.write(value)),
        (stored, json) -> stored == null ? (T) null : (T) json.read(text(stored), type));
  }

  /** JSON that the caller writes and reads. No value is read as {@code null}. */
  public static Codec<String> jsonText() {
    return of(Value.Json::new, stored -> stored == null ? "null" : text(stored));
  }

  /** Text that is no JSON, in UTF-8. No value is read as the empty text. */
  public static Codec<String> text() {
    return of(
        text -> new Value.Bytes(text.getBytes(StandardCharsets.UTF_8)),
        stored -> new String(content(stored), StandardCharsets.UTF_8));
  }

  /** Bytes. No value is read as no bytes. */
  public static Codec<byte[]> bytes() {
    return of(Value.Bytes::new, Codec::content);
  }

  /** Messages of protobuf, as bytes. No value is read as the default instance. */
  public static <M extends MessageLite> Codec<M> message(Parser<M> parser) {
    return of(
        message -> new Value.Bytes(message.toByteArray()),
        stored -> {
          try {
            return parser.parseFrom(content(stored));
          } catch (InvalidProtocolBufferException unreadable) {
            throw new IllegalArgumentException(
                "the stored value is not a message of the expected type", unreadable);
          }
        });
  }

  /** Anything: a {@link Value} as it is, null as no value, otherwise its JSON. */
  static Codec<@Nullable Object> ofAny() {
    return new Codec<>(
        (value, json) ->
            value == null || value instanceof Value
                ? (Value) value
                : new Value.Json(json.write(value)),
        (stored, json) -> stored);
  }

  /** No value. */
  public static Codec<@Nullable Void> none() {
    return of(value -> null, stored -> null);
  }

  /**
   * Values that these functions write and read.
   *
   * @param write returns null for no value
   * @param read gets null for no value
   */
  public static <T extends @Nullable Object> Codec<T> of(
      Function<T, @Nullable Value> write, Function<@Nullable Value, T> read) {
    return new Codec<>((value, json) -> write.apply(value), (stored, json) -> read.apply(stored));
  }

  @Nullable Value write(T value, Json json) {
    return writer.write(value, json);
  }

  T read(@Nullable Value stored, Json json) {
    return reader.read(stored, json);
  }

  private static String text(Value stored) {
    if (stored instanceof Value.Json json) {
      return json.text();
    }
    throw new IllegalArgumentException("the stored value is not JSON");
  }

  private static byte[] content(@Nullable Value stored) {
    if (stored == null) {
      return new byte[0];
    }
    if (stored instanceof Value.Bytes bytes) {
      return bytes.content();
    }
    throw new IllegalArgumentException("the stored value is not binary");
  }
}
