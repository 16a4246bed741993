package dev.hapax.spring;

import dev.hapax.client.HapaxChannel;
import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/** The channel of the client. Spring closes it after the beans that use the client. */
final class HapaxConnection implements AutoCloseable {

  private static final long CLOSE_SECONDS = 5;

  private final ManagedChannel channel;

  HapaxConnection(ManagedChannel channel) {
    this.channel = channel;
  }

  static HapaxConnection open(
      HapaxProperties properties,
      HapaxConnectionDetails details,
      Environment environment,
      @Nullable SslBundles bundles) {
    Map<String, String> variables = new HashMap<>();
    variables.put("HAPAX_SERVER", details.server());
    variables.put("HAPAX_TLS", Boolean.toString(properties.tls()));
    variables.put("HAPAX_TLS_CA", property(environment, "hapax.tls.ca"));
    variables.put("HAPAX_API_KEY", orEmpty(properties.apiKey()));
    variables.put("HAPAX_API_KEY_FILE", orEmpty(properties.apiKeyFile()));
    variables.put("HAPAX_JWT_FILE", orEmpty(properties.jwtFile()));
    HapaxChannel settings = HapaxChannel.fromEnvironment(variables);
    String bundle = property(environment, "hapax.tls.bundle");
    if (!bundle.isEmpty()) {
      if (bundles == null) {
        throw new IllegalStateException(
            "hapax.tls.bundle is " + bundle + ", but the application has no SSL bundles");
      }
      settings = settings.withCredentials(credentials(bundles.getBundle(bundle)));
    }
    return new HapaxConnection(settings.open());
  }

  private static ChannelCredentials credentials(SslBundle bundle) {
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    credentials.trustManager(bundle.getManagers().getTrustManagers());
    if (bundle.getStores().getKeyStore() != null) {
      credentials.keyManager(bundle.getManagers().getKeyManagers());
    }
    return credentials.build();
  }

  private static String property(Environment environment, String name) {
    return Binder.get(environment).bind(name, String.class).orElse("");
  }

  private static String orEmpty(@Nullable String value) {
    return value == null ? "" : value;
  }

  ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdown();
    try {
      if (channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    channel.shutdownNow();
  }
}
