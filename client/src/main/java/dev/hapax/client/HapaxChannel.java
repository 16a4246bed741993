package dev.hapax.client;

import dev.hapax.client.internal.CredentialFiles;
import io.grpc.ChannelCredentials;
import io.grpc.CompositeChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configures the channel to a Hapax server: TLS, the API key or JWT, and {@link
 * HapaxServiceConfig}. Immutable: every {@code with…} is a copy.
 *
 * <pre>{@code
 * ManagedChannel channel =
 *     HapaxChannel.to("hapax.example.com:7420").withApiKeyFile(Path.of("hapax.key")).open();
 * HapaxClient hapax = HapaxClient.on(channel);
 * }</pre>
 *
 * <p>The connection uses TLS unless {@link #plaintext} is called, which a server on this machine
 * needs. An API key or JWT is never sent without TLS to another machine: those calls fail with
 * {@link HapaxException.Unauthenticated}.
 */
public final class HapaxChannel {

  private static final String DEFAULT_SERVER = "127.0.0.1:7420";
  private static final String TLS_SCHEME = "https://";
  private static final String API_KEY = "HAPAX_API_KEY";
  private static final String API_KEY_FILE = "HAPAX_API_KEY_FILE";
  private static final String JWT_FILE = "HAPAX_JWT_FILE";

  private final String target;
  private final @Nullable Tls tls;
  private final @Nullable BearerCredentials bearer;

  /** The files of TLS; null = the authorities of the JVM, and no client certificate. */
  private record Tls(
      @Nullable Path authority,
      @Nullable Path certificate,
      @Nullable Path privateKey,
      @Nullable ChannelCredentials instead) {
    static final Tls DEFAULT = new Tls(null, null, null, null);
  }

  private HapaxChannel(String target, @Nullable Tls tls, @Nullable BearerCredentials bearer) {
    this.target = target;
    this.tls = tls;
    this.bearer = bearer;
  }

  /**
   * Returns a connection with TLS and without a key or token.
   *
   * @param server {@code HOST:PORT}, {@code https://HOST:PORT}, or another target of gRPC
   */
  public static HapaxChannel to(String server) {
    return new HapaxChannel(target(server), Tls.DEFAULT, null);
  }

  /**
   * Returns the connection that these variables describe; it is that of the {@code hapax} command.
   *
   * <ul>
   *   <li>{@code HAPAX_SERVER}: {@code HOST:PORT}, or {@code https://HOST:PORT} for TLS. Default
   *       127.0.0.1:7420
   *   <li>{@code HAPAX_TLS}: {@code true} for TLS
   *   <li>{@code HAPAX_TLS_CA}: the file with the certificate authorities of the server, and TLS
   *   <li>{@code HAPAX_API_KEY_FILE}, or {@code HAPAX_API_KEY} with the key itself
   *   <li>{@code HAPAX_JWT_FILE}: the file with a JSON Web Token, instead of a key
   * </ul>
   */
  public static HapaxChannel fromEnvironment() {
    return fromEnvironment(System.getenv());
  }

  /** As {@link #fromEnvironment()}, with these variables. */
  public static HapaxChannel fromEnvironment(Map<String, String> variables) {
    String server = variable(variables, "HAPAX_SERVER");
    String authority = variable(variables, "HAPAX_TLS_CA");
    HapaxChannel channel = to(server.isEmpty() ? DEFAULT_SERVER : server);
    if (!authority.isEmpty()) {
      channel = channel.withCertificateAuthority(Path.of(authority));
    } else if (!isTls(variables) && !server.startsWith(TLS_SCHEME)) {
      channel = channel.plaintext();
    }
    return new HapaxChannel(channel.target, channel.tls, bearer(variables));
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

  private static String target(String server) {
    if (server.startsWith("http://")) {
      throw new IllegalArgumentException(
          "server must be HOST:PORT, without http:// (was " + server + ")");
    }
    return server.startsWith(TLS_SCHEME) ? server.substring(TLS_SCHEME.length()) : server;
  }

  /** Returns a copy that sends this key with each call. */
  public HapaxChannel withApiKey(String apiKey) {
    return new HapaxChannel(target, tls, BearerCredentials.ofApiKey(apiKey));
  }

  /**
   * Returns a copy that sends the key in this file with each call. A changed file is read again
   * within a second or so, without a restart.
   */
  public HapaxChannel withApiKeyFile(Path file) {
    return new HapaxChannel(target, tls, BearerCredentials.ofApiKeyFile(file));
  }

  /**
   * Returns a copy that sends the JSON Web Token in this file with each call, instead of a key. A
   * changed file is read again within a second or so, since tokens are short-lived.
   */
  public HapaxChannel withJwtFile(Path file) {
    return new HapaxChannel(target, tls, BearerCredentials.ofJwtFile(file));
  }

  /**
   * Returns a copy that uses TLS and trusts these authorities only.
   *
   * @param pem certificates; the file is read when the channel is opened
   */
  public HapaxChannel withCertificateAuthority(Path pem) {
    Tls old = files();
    return new HapaxChannel(target, new Tls(pem, old.certificate, old.privateKey, null), bearer);
  }

  /**
   * Returns a copy that uses TLS and presents this certificate to the server.
   *
   * @param certificate PEM, the certificate of the client first
   * @param privateKey PEM, PKCS#8, without a password
   */
  public HapaxChannel withClientCertificate(Path certificate, Path privateKey) {
    return new HapaxChannel(
        target, new Tls(files().authority, certificate, privateKey, null), bearer);
  }

  /**
   * Returns a copy that uses TLS with these credentials instead of files, for instance those of key
   * managers and trust managers.
   *
   * @param transport such as those of {@link TlsChannelCredentials#newBuilder}
   */
  public HapaxChannel withCredentials(ChannelCredentials transport) {
    Objects.requireNonNull(transport, "transport");
    return new HapaxChannel(target, new Tls(null, null, null, transport), bearer);
  }

  /** Returns a copy without TLS, for a server on this machine or behind a proxy on it. */
  public HapaxChannel plaintext() {
    return new HapaxChannel(target, null, bearer);
  }

  /** Whether the connection uses TLS. */
  public boolean isTls() {
    return tls != null;
  }

  private Tls files() {
    return Objects.requireNonNullElse(tls, Tls.DEFAULT);
  }

  /** Returns the credentials alone, for a channel builder of your own. Reads the files of TLS. */
  public ChannelCredentials credentials() {
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

  /**
   * Opens the channel, which connects at its first call. Close it with {@code shutdown}.
   *
   * @throws IllegalArgumentException if a file of TLS is missing or unusable
   * @throws IllegalStateException if no transport of gRPC is on the class path
   */
  public ManagedChannel open() {
    return builder().build();
  }

  /**
   * Returns the builder of the channel, for settings that this class lacks, such as interceptors.
   *
   * @throws IllegalArgumentException if a file of TLS is missing or unusable
   * @throws IllegalStateException if no transport of gRPC is on the class path
   */
  public ManagedChannelBuilder<?> builder() {
    return channelBuilder()
        .defaultServiceConfig(HapaxServiceConfig.MAP)
        .enableRetry()
        // detects a dead connection during a call
        .keepAliveTime(30, TimeUnit.SECONDS)
        .keepAliveTimeout(10, TimeUnit.SECONDS);
  }

  private ManagedChannelBuilder<?> channelBuilder() {
    try {
      return Grpc.newChannelBuilder(target, credentials());
    } catch (ManagedChannelRegistry.ProviderNotFoundException none) {
      throw new IllegalStateException(
          "no transport of gRPC on the class path can call "
              + target
              + "; add io.grpc:grpc-netty-shaded (or grpc-netty) in the version of grpc-api",
          none);
    }
  }

  /** Returns the target and how it is called, with the public part of the key only. */
  @Override
  public String toString() {
    return "HapaxChannel[" + target + (tls == null ? ", plaintext" : ", TLS") + bearerText() + "]";
  }

  private String bearerText() {
    return bearer == null ? "" : ", " + bearer;
  }
}
