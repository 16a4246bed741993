package dev.hapax.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.hapax.client.operation.Outcome;
import dev.hapax.v1.Payload;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a value for storage and decodes it again. A stored value has at most {@link #MAX_BYTES};
 * a larger result of an operation is not kept, see {@link Outcome.NotRetained}.
 */
public interface PayloadCodec<T extends @Nullable Object> {

  /** The largest result Hapax keeps: 256 KiB. */
  int MAX_BYTES = 256 * 1024;

  /** Encodes a value. Null = void: there is no value. */
  @Nullable Payload encode(T result);

  /**
   * Decodes a stored value.
   *
   * @param stored null = void
   * @throws IllegalArgumentException if the codec cannot read the value
   */
  T decode(@Nullable Payload stored);

  /** No value: only the fact that the work is done. */
  static PayloadCodec<@Nullable Void> none() {
    return new PayloadCodec<>() {
      @Override
      public @Nullable Payload encode(@Nullable Void result) {
        return null;
      }

      @Override
      public @Nullable Void decode(@Nullable Payload stored) {
        return null;
      }
    };
  }

  /** Opaque bytes. A void reads as no bytes. */
  static PayloadCodec<byte[]> bytes() {
    return binary(ByteString::copyFrom, ByteString::toByteArray);
  }

  /**
   * A protobuf message, such as {@code PayloadCodec.message(Order.parser())}. A void reads as an
   * empty one.
   */
  static <M extends MessageLite> PayloadCodec<M> message(Parser<M> parser) {
    return binary(
        MessageLite::toByteString,
        bytes -> {
          try {
            return parser.parseFrom(bytes);
          } catch (InvalidProtocolBufferException unreadable) {
            throw new IllegalArgumentException(
                "the stored value is not a message of the expected type", unreadable);
          }
        });
  }

  /**
   * JSON text (RFC 8259, nested at most 64 deep), returned byte for byte. A void reads as the text
   * {@code null}.
   */
  static PayloadCodec<String> json() {
    return new PayloadCodec<>() {
      @Override
      public Payload encode(String result) {
        return Payload.newBuilder().setJson(result).build();
      }

      @Override
      public String decode(@Nullable Payload stored) {
        if (stored != null && !stored.hasJson()) {
          throw new IllegalArgumentException("the stored value is not JSON");
        }
        return stored == null ? "null" : stored.getJson();
      }
    };
  }

  /** Text, kept as its UTF-8 bytes. A void reads as no text. */
  static PayloadCodec<String> text() {
    return binary(ByteString::copyFromUtf8, ByteString::toStringUtf8);
  }

  /** Anything that can be written as bytes. A void reads as no bytes. */
  static <T> PayloadCodec<T> binary(Function<T, ByteString> write, Function<ByteString, T> read) {
    return new PayloadCodec<>() {
      @Override
      public Payload encode(T result) {
        return Payload.newBuilder().setBinary(write.apply(result)).build();
      }

      @Override
      public T decode(@Nullable Payload stored) {
        if (stored != null && !stored.hasBinary()) {
          throw new IllegalArgumentException("the stored value is not binary");
        }
        return read.apply(stored == null ? ByteString.EMPTY : stored.getBinary());
      }
    };
  }
}
