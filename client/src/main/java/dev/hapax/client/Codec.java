package dev.hapax.client;

import dev.hapax.client.operation.Outcome;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.hapax.v1.Payload;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a result is stored and read back. A stored result has at most {@link #MAX_BYTES}; a larger
 * one is not kept, see {@link Outcome.NotRetained}.
 */
public interface Codec<T extends @Nullable Object> {

  /** The largest result Hapax keeps: 256 KiB. */
  int MAX_BYTES = 256 * 1024;

  /** What is stored. Null = void: the operation ends without a result. */
  @Nullable Payload encode(T result);

  /**
   * The result that was stored.
   *
   * @param stored null = void
   * @throws IllegalArgumentException if it is not a result of this kind
   */
  T decode(@Nullable Payload stored);

  /** Nothing but "it was done". */
  static Codec<@Nullable Void> none() {
    return new Codec<>() {
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
  static Codec<byte[]> bytes() {
    return binary(ByteString::copyFrom, ByteString::toByteArray);
  }

  /**
   * A protobuf message, such as {@code Codec.message(Order.parser())}. A void reads as an empty
   * one.
   */
  static <M extends MessageLite> Codec<M> message(Parser<M> parser) {
    return binary(
        MessageLite::toByteString,
        bytes -> {
          try {
            return parser.parseFrom(bytes);
          } catch (InvalidProtocolBufferException unreadable) {
            throw new IllegalArgumentException("not the expected message", unreadable);
          }
        });
  }

  /**
   * JSON text (RFC 8259, nested at most 64 deep), returned byte for byte. A void reads as the text
   * {@code null}.
   */
  static Codec<String> json() {
    return new Codec<>() {
      @Override
      public Payload encode(String result) {
        return Payload.newBuilder().setJson(result).build();
      }

      @Override
      public String decode(@Nullable Payload stored) {
        if (stored != null && !stored.hasJson()) {
          throw new IllegalArgumentException("the stored result is not JSON");
        }
        return stored == null ? "null" : stored.getJson();
      }
    };
  }

  /** Text, kept as its UTF-8 bytes. A void reads as no text. */
  static Codec<String> text() {
    return binary(ByteString::copyFromUtf8, ByteString::toStringUtf8);
  }

  /** Anything that can be written as bytes. A void reads as no bytes. */
  static <T> Codec<T> binary(Function<T, ByteString> write, Function<ByteString, T> read) {
    return new Codec<>() {
      @Override
      public Payload encode(T result) {
        return Payload.newBuilder().setBinary(write.apply(result)).build();
      }

      @Override
      public T decode(@Nullable Payload stored) {
        if (stored != null && !stored.hasBinary()) {
          throw new IllegalArgumentException("the stored result is not binary");
        }
        return read.apply(stored == null ? ByteString.EMPTY : stored.getBinary());
      }
    };
  }
}
