package dev.hapax.grpc.tls;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The files of a server with TLS, all in PEM.
 *
 * @param certificate of the server, followed by its issuers
 * @param clients empty = client certificates are not asked for
 */
public record TlsFiles(Path certificate, Path key, Optional<Clients> clients) {
  /**
   * The certificates of clients.
   *
   * @param authorities the certificates of their issuers
   * @param required whether a client without a certificate is refused
   */
  public record Clients(Path authorities, boolean required) {}
}
