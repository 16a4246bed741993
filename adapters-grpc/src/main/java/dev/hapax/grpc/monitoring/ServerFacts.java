package dev.hapax.grpc.monitoring;

import dev.hapax.v1.ServerFeature;
import java.util.List;
import java.util.stream.Stream;

/**
 * Facts about the server that need no database.
 *
 * @param version of the program
 * @param reflection whether the server offers gRPC reflection
 * @param metrics whether the server serves metrics
 */
public record ServerFacts(String version, boolean reflection, boolean metrics) {
  List<ServerFeature> features() {
    return Stream.of(
            Stream.of(ServerFeature.SERVER_FEATURE_STREAMS),
            feature(reflection, ServerFeature.SERVER_FEATURE_REFLECTION),
            feature(metrics, ServerFeature.SERVER_FEATURE_METRICS))
        .flatMap(each -> each)
        .toList();
  }

  private static Stream<ServerFeature> feature(boolean is, ServerFeature feature) {
    return Stream.of(feature).filter(_ -> is);
  }
}
