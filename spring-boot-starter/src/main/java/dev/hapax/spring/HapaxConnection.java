package dev.hapax.spring;

import dev.hapax.client.Hapax;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/** The settings of the client's connection. */
final class HapaxConnection {

  private HapaxConnection() {}

  static Hapax.Builder builder(
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
    Hapax.Builder builder = Hapax.builder(variables);
    String bundle = property(environment, "hapax.tls.bundle");
    if (!bundle.isEmpty()) {
      if (bundles == null) {
        throw new IllegalStateException(
            "hapax.tls.bundle is " + bundle + ", but the application has no SSL bundles");
      }
      trust(builder, bundles.getBundle(bundle));
    }
    return builder;
  }

  private static void trust(Hapax.Builder builder, SslBundle bundle) {
    KeyManager[] keys =
        bundle.getStores().getKeyStore() == null
            ? new KeyManager[0]
            : bundle.getManagers().getKeyManagers();
    builder.tls(keys, bundle.getManagers().getTrustManagers());
  }

  private static String property(Environment environment, String name) {
    return Binder.get(environment).bind(name, String.class).orElse("");
  }

  private static String orEmpty(@Nullable String value) {
    return value == null ? "" : value;
  }
}
