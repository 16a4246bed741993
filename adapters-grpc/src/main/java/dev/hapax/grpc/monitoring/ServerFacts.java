package dev.hapax.grpc.monitoring;

import dev.hapax.v1.ServerFeature;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Facts about the server that need no database.
 *
 * @param version of the program
 * @param switched the features that its configuration has switched on
 */
public record ServerFacts(String version, Set<ServerFeature> switched) {
  /** The features of every server of this version. */
  private static final Set<ServerFeature> ALWAYS =
      EnumSet.of(
          ServerFeature.SERVER_FEATURE_STREAMS,
          ServerFeature.SERVER_FEATURE_SQL_INTENTS,
          ServerFeature.SERVER_FEATURE_SQL_COMPLETIONS);

  public ServerFacts {
    switched = Set.copyOf(switched);
  }

  /** The features, with parts if all servers that work on the database know them. */
  List<ServerFeature> features(boolean knowsParts) {
    var gated =
        knowsParts ? Stream.of(ServerFeature.SERVER_FEATURE_PARTS) : Stream.<ServerFeature>empty();
    return Stream.of(ALWAYS.stream(), switched.stream(), gated)
        .flatMap(features -> features)
        .distinct()
        .sorted()
        .toList();
  }
}
