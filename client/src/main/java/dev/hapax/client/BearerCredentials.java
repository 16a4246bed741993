package dev.hapax.client;

import dev.hapax.client.internal.ApiKey;
import dev.hapax.client.internal.Bearer;
import dev.hapax.client.internal.BearerFile;
import io.grpc.CallCredentials;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds an API key or a JWT to each call, as {@code authorization: Bearer …}.
 *
 * <p>A call over a connection without TLS fails with {@code UNAUTHENTICATED} before anything is
 * sent, unless the server is on this machine (loopback).
 */
final class BearerCredentials extends CallCredentials {

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Supplier<? extends Bearer> bearer;

  /** Whether the key or token is in memory; otherwise its supplier reads a file. */
  private final BooleanSupplier known;

  private BearerCredentials(Supplier<? extends Bearer> bearer, BooleanSupplier known) {
    this.bearer = bearer;
    this.known = known;
  }

  /**
   * Returns credentials of this key.
   *
   * @throws IllegalArgumentException if the key is malformed; the message does not repeat it
   */
  public static BearerCredentials ofApiKey(String key) {
    return ofApiKey("the value", key);
  }

  /**
   * @param origin of the key, for the error
   */
  static BearerCredentials ofApiKey(String origin, String key) {
    ApiKey parsed = ApiKey.parse(origin, key);
    return new BearerCredentials(() -> parsed, () -> true);
  }

  /**
   * Returns credentials of the key in this file, which is read again when it changes. So a key can
   * be replaced without a restart.
   *
   * @throws IllegalArgumentException if the file has no key now
   */
  public static BearerCredentials ofApiKeyFile(Path file) {
    return of(BearerFile.ofApiKey(file));
  }

  /**
   * Returns credentials of the JSON Web Token in this file, which is read again when it changes. So
   * its issuer's agent can replace it before it expires.
   *
   * @throws IllegalArgumentException if the file has no token now
   */
  public static BearerCredentials ofJwtFile(Path file) {
    return of(BearerFile.ofJwt(file));
  }

  private static BearerCredentials of(BearerFile file) {
    return new BearerCredentials(file::current, file::isFresh);
  }

  @Override
  public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
    if (!isProtected(call)) {
      applier.fail(
          Status.UNAUTHENTICATED.withDescription(
              "the credentials were not sent, since the connection to "
                  + call.getAuthority()
                  + " is not encrypted; connect with TLS"));
    } else if (known.getAsBoolean()) {
      apply(applier);
    } else {
      // the thread of a connection must not read a file
      executor.execute(() -> apply(applier));
    }
  }

  private void apply(MetadataApplier applier) {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, bearer.get().authorization());
    applier.apply(headers);
  }

  private static boolean isProtected(RequestInfo call) {
    return call.getSecurityLevel() == SecurityLevel.PRIVACY_AND_INTEGRITY
        || isLoopback(call.getTransportAttrs().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  private static boolean isLoopback(@Nullable SocketAddress server) {
    return server instanceof InetSocketAddress known
        && known.getAddress() != null
        && known.getAddress().isLoopbackAddress();
  }

  /** Returns the public part of a key only, and nothing of a token. */
  @Override
  public String toString() {
    return "BearerCredentials[" + bearer.get() + "]";
  }
}
