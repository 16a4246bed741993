package dev.hapax.domain;

import java.util.Optional;
import java.util.UUID;

/**
 * Formats ids as a prefix and 26 characters of Crockford's base 32, which sort by time (<a
 * href="https://github.com/jetify-com/typeid">TypeID</a>).
 */
public final class TypeId {
  private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int LENGTH = 26;
  private static final int BITS = 5;
  private static final int MASK = 31;

  private TypeId() {}

  public static String print(String prefix, UUID id) {
    var text = new char[LENGTH];
    var high = id.getMostSignificantBits();
    var low = id.getLeastSignificantBits();
    for (var i = LENGTH - 1; i >= 0; i--) {
      text[i] = ALPHABET.charAt((int) (low & MASK));
      low = (low >>> BITS) | (high << (Long.SIZE - BITS));
      high >>>= BITS;
    }
    return prefix + '_' + new String(text);
  }

  /** Parses an id; empty = the text is no id with this prefix. */
  public static Optional<UUID> parse(String prefix, String text) {
    if (text.length() != prefix.length() + 1 + LENGTH
        || !text.startsWith(prefix + '_')
        // 26 characters hold 130 bits: the first has but three
        || text.charAt(prefix.length() + 1) > '7') {
      return Optional.empty();
    }
    var high = 0L;
    var low = 0L;
    for (var i = prefix.length() + 1; i < text.length(); i++) {
      var digit = ALPHABET.indexOf(text.charAt(i));
      if (digit < 0) {
        return Optional.empty();
      }
      high = (high << BITS) | (low >>> (Long.SIZE - BITS));
      low = (low << BITS) | digit;
    }
    return Optional.of(new UUID(high, low));
  }
}
