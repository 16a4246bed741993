package dev.hapax.postgres.run;

import dev.hapax.domain.run.AwaitedToken;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.read.Micros;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tokens that a run waits for, as JSON: of each its hash, its name, and its retention. */
final class AwaitedText {
  private static final int PARTS = 3;

  private AwaitedText() {}

  /** Null = no tokens. */
  static @Nullable String print(List<AwaitedToken> tokens) {
    return tokens.isEmpty()
        ? null
        : StoredJson.print(
            StoredJson.strings(
                tokens.stream()
                    .flatMap(
                        token ->
                            List.of(
                                token.hash().toString(),
                                token.name(),
                                Long.toString(Micros.of(token.retention())))
                                .stream())
                    .toList()));
  }

  static List<AwaitedToken> parse(Optional<String> text) {
    var parts = text.map(stored -> StoredJson.strings(StoredJson.parse(stored))).orElse(List.of());
    var tokens = new ArrayList<AwaitedToken>();
    for (var i = 0; i < parts.size(); i += PARTS) {
      tokens.add(
          new AwaitedToken(
              UUID.fromString(parts.get(i)),
              parts.get(i + 1),
              Micros.duration(Long.parseLong(parts.get(i + 2)))));
    }
    return tokens;
  }
}
