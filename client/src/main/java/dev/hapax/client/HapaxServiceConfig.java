package dev.hapax.client;

import java.util.List;
import java.util.Map;

/**
 * The gRPC service config for channels to Hapax. It retries {@code UNAVAILABLE} up to 4 times in
 * all, after 0.1 to 2 s, but not while most calls fail. Every request is safe to repeat after that
 * status. {@link HapaxChannel} applies it; this is for channels that you build yourself.
 *
 * <pre>{@code
 * ManagedChannelBuilder.forTarget(target).defaultServiceConfig(HapaxServiceConfig.MAP).enableRetry()
 * }</pre>
 *
 * <p>The resource {@value #RESOURCE} holds the same as JSON, for other languages.
 */
public final class HapaxServiceConfig {

  /** The class path resource of the JSON. */
  public static final String RESOURCE = "dev/hapax/client/service-config.json";

  /** The config for {@code ManagedChannelBuilder.defaultServiceConfig}. */
  public static final Map<String, ?> MAP =
      Map.of(
          "methodConfig",
          List.of(
              Map.of(
                  "name",
                  List.of(Map.of()),
                  "retryPolicy",
                  Map.of(
                      "maxAttempts",
                      4.0,
                      "initialBackoff",
                      "0.1s",
                      "maxBackoff",
                      "2s",
                      "backoffMultiplier",
                      2.0,
                      "retryableStatusCodes",
                      List.of("UNAVAILABLE")))),
          "retryThrottling",
          Map.of("maxTokens", 10.0, "tokenRatio", 0.1));

  private HapaxServiceConfig() {}
}
