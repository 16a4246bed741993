package dev.hapax.bootstrap.server;

import com.google.inject.Inject;
import dev.hapax.application.security.ApiKeys;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.grpc.security.OpenCalls;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the API keys before the first call, and keeps them current. */
record AuthenticationStart(ApiKeys keys, OpenCalls open) {
  private static final Logger LOG = LoggerFactory.getLogger(AuthenticationStart.class);
  private static final int READ_SECONDS = 15;

  @Inject
  AuthenticationStart {}

  /**
   * Reads the keys.
   *
   * @param onlyKeys whether callers can authenticate only by API key
   */
  void start(ServerConfig config, boolean onlyKeys, ScheduledExecutorService timer)
      throws IOException, ConfigurationException {
    try {
      keys.load().get(READ_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("cannot read the API keys", e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while reading the API keys", e);
    }
    if (onlyKeys) {
      requireKey(config);
    }
    keys.refreshEvery(timer);
    open.checkEvery(timer);
  }

  /** The repeated work that {@link #start} begins. */
  List<Loop> loops() {
    return List.of(keys.loop(), open.loop());
  }

  private void requireKey(ServerConfig config) throws ConfigurationException {
    if (keys.hasLive()) {
      return;
    }
    var problem =
        "no API key exists, so no client could call this server; create one with the same database"
            + " settings: hapax key create --principal NAME --role admin --workspace '*'";
    if (config.isReachableByOthers()) {
      throw new ConfigurationException(List.of(Settings.AUTHENTICATION.flag() + ": " + problem));
    }
    LOG.warn("{}", problem);
  }
}
