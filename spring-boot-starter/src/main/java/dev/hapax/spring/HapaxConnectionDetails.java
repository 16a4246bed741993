package dev.hapax.spring;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/** The address of the server; a bean of this type replaces {@code hapax.server}. */
public interface HapaxConnectionDetails extends ConnectionDetails {

  /** {@code HOST:PORT}, or {@code https://HOST:PORT} for TLS. */
  String server();
}
