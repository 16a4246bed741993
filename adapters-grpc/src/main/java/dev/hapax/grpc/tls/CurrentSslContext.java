package dev.hapax.grpc.tls;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * The context that was made last, for each new connection. Sessions belong to one context: they
 * cannot be resumed after the next one is there, which would skip the check of the certificates.
 */
final class CurrentSslContext extends SslContext {
  private volatile SslContext current;

  CurrentSslContext(SslContext first) {
    this.current = first;
  }

  void replace(SslContext next) {
    current = next;
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current.newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
    return current.newEngine(allocator, peerHost, peerPort);
  }

  @Override
  public boolean isClient() {
    return current.isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return current.cipherSuites();
  }

  /** Netty deprecates the type and has no other one. */
  @Override
  @SuppressWarnings("deprecation")
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
