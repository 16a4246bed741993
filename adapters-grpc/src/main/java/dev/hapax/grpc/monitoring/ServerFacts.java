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

  /**
   * The features.
   *
   * @param known the newest gated feature that all servers know that work on the database
   */
  List<ServerFeature> features(int known) {
    var gated =
        Stream.of(ServerFeature.SERVER_FEATURE_PARTS, ServerFeature.SERVER_FEATURE_TURNS)
            .limit(known);
    return Stream.of(ALWAYS.stream(), switched.stream(), gated)
        .flatMap(features -> features)
        .distinct()
        .sorted()
        .toList();
  }
}
