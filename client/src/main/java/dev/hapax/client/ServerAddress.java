package dev.hapax.client;

import dev.hapax.client.internal.CredentialFiles;
import io.grpc.ChannelCredentials;
import io.grpc.CompositeChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Where the servers are, and how to reach them. Immutable. */
final class ServerAddress {

  private static final String DEFAULT_SERVER = "127.0.0.1:7420";
  private static final String TLS_SCHEME = "https://";
  private static final Pattern ADDRESS =
      Pattern.compile("([^:/\\s\\[\\]]+|\\[[^\\[\\]]+]):[1-9]\\d{0,4}");
  private static final String API_KEY = "HAPAX_API_KEY";
  private static final String API_KEY_FILE = "HAPAX_API_KEY_FILE";
  private static final String JWT_FILE = "HAPAX_JWT_FILE";

  private final List<String> targets;
  private final @Nullable Tls tls;
  private final @Nullable BearerCredentials bearer;

  private record Tls(
      @Nullable Path authority,
      @Nullable Path certificate,
      @Nullable Path privateKey,
      @Nullable ChannelCredentials instead) {
    static final Tls DEFAULT = new Tls(null, null, null, null);
  }

  private ServerAddress(
      List<String> targets, @Nullable Tls tls, @Nullable BearerCredentials bearer) {
    this.targets = targets;
    this.tls = tls;
    this.bearer = bearer;
  }

  static ServerAddress to(String server) {
    return new ServerAddress(targets(server), Tls.DEFAULT, null);
  }

  static ServerAddress ofVariables(Map<String, String> variables) {
    String server = variable(variables, "HAPAX_SERVER");
    String authority = variable(variables, "HAPAX_TLS_CA");
    ServerAddress channel = to(server.isEmpty() ? DEFAULT_SERVER : server);
    if (!authority.isEmpty()) {
      channel = channel.caFile(Path.of(authority));
    } else if (!isTls(variables) && !server.contains(TLS_SCHEME)) {
      channel = channel.plaintext();
    }
    return new ServerAddress(channel.targets, channel.tls, bearer(variables));
  }

  private static @Nullable BearerCredentials bearer(Map<String, String> variables) {
    List<String> set =
        Stream.of(API_KEY, API_KEY_FILE, JWT_FILE)
            .filter(name -> !variable(variables, name).isEmpty())
            .toList();
    if (set.size() > 1) {
      throw new IllegalArgumentException(
          String.join(" and ", set) + " are set; keep only one of them");
    }
    if (set.contains(API_KEY)) {
      return BearerCredentials.ofApiKey(API_KEY, variable(variables, API_KEY));
    }
    if (set.contains(API_KEY_FILE)) {
      return BearerCredentials.ofApiKeyFile(Path.of(variable(variables, API_KEY_FILE)));
    }
    return set.isEmpty()
        ? null
        : BearerCredentials.ofJwtFile(Path.of(variable(variables, JWT_FILE)));
  }

  private static String variable(Map<String, String> variables, String name) {
    return variables.getOrDefault(name, "").strip();
  }

  private static boolean isTls(Map<String, String> variables) {
    String tls = variable(variables, "HAPAX_TLS");
    return switch (tls) {
      case "true" -> true;
      case "false", "" -> false;
      default ->
          throw new IllegalArgumentException("HAPAX_TLS must be true or false (was " + tls + ")");
    };
  }

  /** The scheme of one address is that of all: a client has one kind of credentials. */
  private static List<String> targets(String server) {
    if (server.contains("http://")) {
      throw new IllegalArgumentException(
          "server must be HOST:PORT, without http:// (was " + server + ")");
    }
    List<String> targets =
        Stream.of(server.replace(TLS_SCHEME, "").split(",", -1)).map(String::strip).toList();
    if (targets.size() > 1
        && !targets.stream().allMatch(target -> ADDRESS.matcher(target).matches())) {
      throw new IllegalArgumentException(
          "server must be HOST:PORT, or a list HOST:PORT,HOST:PORT (was " + server + ")");
    }
    return targets;
  }

  ServerAddress server(String server) {
    boolean isTls = server.contains(TLS_SCHEME);
    return new ServerAddress(targets(server), isTls ? files() : tls, bearer);
  }

  ServerAddress tls() {
    return new ServerAddress(targets, files(), bearer);
  }

  ServerAddress apiKey(String apiKey) {
    return new ServerAddress(targets, tls, BearerCredentials.ofApiKey(apiKey));
  }

  ServerAddress apiKeyFile(Path file) {
    return new ServerAddress(targets, tls, BearerCredentials.ofApiKeyFile(file));
  }

  ServerAddress jwtFile(Path file) {
    return new ServerAddress(targets, tls, BearerCredentials.ofJwtFile(file));
  }

  ServerAddress caFile(Path pem) {
    Tls old = files();
    return new ServerAddress(targets, new Tls(pem, old.certificate, old.privateKey, null), bearer);
  }

  ServerAddress clientCertificate(Path certificate, Path privateKey) {
    return new ServerAddress(
        targets, new Tls(files().authority, certificate, privateKey, null), bearer);
  }

  ServerAddress managers(KeyManager[] keys, TrustManager[] trust) {
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    if (keys.length > 0) {
      credentials.keyManager(keys);
    }
    if (trust.length > 0) {
      credentials.trustManager(trust);
    }
    return new ServerAddress(targets, new Tls(null, null, null, credentials.build()), bearer);
  }

  ServerAddress plaintext() {
    return new ServerAddress(targets, null, bearer);
  }

  boolean isTls() {
    return tls != null;
  }

  private Tls files() {
    return Objects.requireNonNullElse(tls, Tls.DEFAULT);
  }

  ChannelCredentials credentials() {
    ChannelCredentials transport =
        tls == null ? InsecureChannelCredentials.create() : credentials(tls);
    return bearer == null ? transport : CompositeChannelCredentials.create(transport, bearer);
  }

  private static ChannelCredentials credentials(Tls files) {
    if (files.instead != null) {
      return files.instead;
    }
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    try {
      if (files.authority != null) {
        credentials.trustManager(
            CredentialFiles.certificates("the certificate authority file", files.authority));
      }
      if (files.certificate != null && files.privateKey != null) {
        credentials.keyManager(
            CredentialFiles.certificates("the client certificate", files.certificate),
            CredentialFiles.privateKey("the client's private key", files.privateKey));
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return credentials.build();
  }

  /** Returns a channel for each address, with this change. Does not wait for the servers. */
  ServerChannels channels(UnaryOperator<ManagedChannelBuilder<?>> change) {
    ChannelCredentials credentials = credentials();
    return new ServerChannels(
        targets.stream()
            .map(target -> change.apply(builder(target, credentials)).build())
            .toList());
  }

  private static ManagedChannelBuilder<?> builder(String target, ChannelCredentials credentials) {
    return channelBuilder(target, credentials)
        // one connection for each address of a name
        .defaultLoadBalancingPolicy("round_robin")
        // Calls repeats them
        .disableRetry()
        // detects a dead connection during a call
        .keepAliveTime(30, TimeUnit.SECONDS)
        .keepAliveTimeout(10, TimeUnit.SECONDS);
  }

  private static ManagedChannelBuilder<?> channelBuilder(
      String target, ChannelCredentials credentials) {
    try {
      return Grpc.newChannelBuilder(target, credentials);
    } catch (ManagedChannelRegistry.ProviderNotFoundException none) {
      throw new IllegalStateException(
          "no transport of gRPC on the class path can call "
              + target
              + "; add io.grpc:grpc-netty-shaded (or grpc-netty) in the version of grpc-api",
          none);
    }
  }

  @Override
  public String toString() {
    return "ServerAddress["
        + String.join(",", targets)
        + (tls == null ? ", plaintext" : ", TLS")
        + bearerText()
        + "]";
  }

  private String bearerText() {
    return bearer == null ? "" : ", " + bearer;
  }
}
