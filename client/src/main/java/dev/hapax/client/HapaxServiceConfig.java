package dev.hapax.client;

import java.util.List;
import java.util.Map;

/**
 * The gRPC service config for channels to Hapax: {@code UNAVAILABLE}, the one status after which
 * any request may be sent again as it is, is retried up to 4 times in all, after 0.1 to 2 s, and
 * not while most calls fail.
 *
 * <pre>{@code
 * ManagedChannelBuilder.forTarget(target).defaultServiceConfig(HapaxServiceConfig.MAP).enableRetry()
 * }</pre>
 *
 * <p>The same as JSON, for other languages, is the resource {@value #RESOURCE}.
 */
public final class HapaxServiceConfig {

  /** Where the JSON is in the class path. */
  public static final String RESOURCE = "dev/hapax/client/service-config.json";

  /** As {@code ManagedChannelBuilder.defaultServiceConfig} wants it. */
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
