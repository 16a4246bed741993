package dev.hapax.grpc.tls;

import java.util.Locale;

/** The purpose of a certificate. */
public enum CertificateUse {
  /** The server's own certificate. */
  SERVER,
  /** The authorities whose certificates clients may have. */
  CLIENT_CA,
  /** The certificate of this server as a client of PostgreSQL. */
  DATABASE;

  /** Returns its name in logs and metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
