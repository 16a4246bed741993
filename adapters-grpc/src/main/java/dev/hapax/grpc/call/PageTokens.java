package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import dev.hapax.domain.InvalidValueException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Fills pages of lists and encodes their tokens. */
public final class PageTokens {
  /** The most bytes of a page with several items. */
  public static final int MAX_BYTES = 1 << 20;

  private PageTokens() {}

  /**
   * Adds the items that fit into a page, at least one.
   *
   * @return whether all items fit
   */
  public static <T, M extends MessageLite> boolean fill(
      List<T> items, Function<T, M> encode, BiConsumer<T, M> add) {
    var bytes = 0;
    for (var item : items) {
      var message = encode.apply(item);
      if (bytes > 0 && bytes + message.getSerializedSize() > MAX_BYTES) {
        return false;
      }
      bytes += message.getSerializedSize();
      add.accept(item, message);
    }
    return true;
  }

  /** Encodes a position as an opaque token. */
  public static String token(ByteBuffer position) {
    var text = Base64.getUrlEncoder().withoutPadding().encode(position.flip());
    return StandardCharsets.ISO_8859_1.decode(text).toString();
  }

  /**
   * Decodes a token; empty = the first page.
   *
   * @param position reads all bytes, or throws {@link IllegalArgumentException}
   */
  public static <C> Optional<C> position(String token, Function<ByteBuffer, C> position) {
    if (token.isEmpty()) {
      return Optional.empty();
    }
    try {
      var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(token));
      var read = position.apply(bytes);
      if (!bytes.hasRemaining()) {
        return Optional.of(read);
      }
    } catch (IllegalArgumentException | BufferUnderflowException _) {
      // reported below
    }
    throw new InvalidFieldException("page_token", "must be the next_page_token of an earlier page");
  }

  /** Encodes a number as the token of a list that is sorted by number. */
  public static String token(long number) {
    return token(ByteBuffer.allocate(Long.BYTES).putLong(number));
  }

  /** Decodes the token of a list that is sorted by number, from 0; empty = 0, the first page. */
  public static long number(String token) {
    return position(token, PageTokens::number).orElse(0L);
  }

  private static long number(ByteBuffer token) {
    var number = token.getLong();
    if (number < 0) {
      throw new InvalidValueException("must not be negative");
    }
    return number;
  }

  /** Encodes a name as the token of a list that is sorted by name. */
  public static String token(String name) {
    var bytes = LengthPrefixedNames.names(name);
    return token(ByteBuffer.allocate(bytes.length).put(bytes));
  }
}
