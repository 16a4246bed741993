package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.v1.ServerFeature;
import java.util.EnumSet;
import java.util.Set;

/** The features that a configuration switches on, as GetServerInfo lists them. */
final class ServerFeatures {
  private ServerFeatures() {}

  static Set<ServerFeature> switchedOn(ServerConfig config) {
    var features = EnumSet.noneOf(ServerFeature.class);
    if (config.reflection()) {
      features.add(ServerFeature.SERVER_FEATURE_REFLECTION);
    }
    if (config.metricsListen().isPresent()) {
      features.add(ServerFeature.SERVER_FEATURE_METRICS);
    }
    if (config.httpListen().isPresent()) {
      features.add(ServerFeature.SERVER_FEATURE_HTTP);
    }
    if (config.consoleListen().isPresent()) {
      features.add(ServerFeature.SERVER_FEATURE_CONSOLE);
    }
    if (config.authentication()) {
      features.add(ServerFeature.SERVER_FEATURE_AUTHENTICATION);
    }
    return features;
  }
}
