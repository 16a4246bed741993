package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The place of a claim in a token: its name, or names with dots between them for a claim in an
 * object, such as {@code realm_access.roles}.
 */
public record JwtClaimPath(String text) {
  private static final char SEPARATOR = '.';

  public JwtClaimPath {
    if (text.isBlank() || text.chars().anyMatch(Character::isWhitespace)) {
      throw new InvalidValueException("must be the name of a claim (was '%s')".formatted(text));
    }
  }

  /**
   * Returns the strings at this place: one, or those of an array; none if there is anything else.
   */
  public List<String> strings(Map<String, ?> claims) {
    return switch (find(claims, text)) {
      case String one -> List.of(one);
      case List<?> many ->
          many.stream().filter(String.class::isInstance).map(String.class::cast).toList();
      case null, default -> List.of();
    };
  }

  /** A name with dots, such as a URL, comes before a path. */
  private static @Nullable Object find(Map<?, ?> claims, String path) {
    var dot = path.indexOf(SEPARATOR);
    if (claims.containsKey(path) || dot < 0) {
      return claims.get(path);
    }
    return claims.get(path.substring(0, dot)) instanceof Map<?, ?> nested
        ? find(nested, path.substring(dot + 1))
        : null;
  }

  @Override
  public String toString() {
    return text;
  }
}
