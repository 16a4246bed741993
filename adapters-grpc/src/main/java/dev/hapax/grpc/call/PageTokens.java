package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Pages of lists, and the tokens that lead from one to the next. */
public final class PageTokens {
  public static final int MAX_BYTES = 1 << 20;

  private PageTokens() {}

  /**
   * Adds what fits into a page, one at least.
   *
   * @return whether that is all
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

  /** A token that callers do not look into; of what was written. */
  public static String token(ByteBuffer position) {
    var text = Base64.getUrlEncoder().withoutPadding().encode(position.flip());
    return StandardCharsets.ISO_8859_1.decode(text).toString();
  }

  /**
   * Where the page begins; empty = it is the first.
   *
   * @param position reads all of what was written, or throws {@link IllegalArgumentException}
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
      // told below
    }
    throw new InvalidFieldException("page_token", "is not one that a former page gave");
  }

  /** The token of a list by name. */
  public static String token(String name) {
    var bytes = LengthPrefixedNames.names(name);
    return token(ByteBuffer.allocate(bytes.length).put(bytes));
  }
}
