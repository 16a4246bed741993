package dev.hapax.client.internal;

import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The API key or JWT in a file, which is read again for calls a second later or more. */
public final class BearerFile {

  private static final Logger log = LoggerFactory.getLogger(BearerFile.class);
  private static final long FRESH_NANOS = 1_000_000_000L;

  /** Reads the content of a file. */
  @FunctionalInterface
  interface Parser {
    Bearer parse(String origin, String text);
  }

  private final String name;
  private final Path file;
  private final Parser parser;
  private final LongSupplier nanos;
  private volatile Bearer bearer;
  private volatile long readAt;

  // guarded by this; empty = the last read was good
  private String problem = "";

  BearerFile(String name, Path file, Parser parser, LongSupplier nanos) {
    this.name = name;
    this.file = file;
    this.parser = parser;
    this.nanos = nanos;
    this.bearer = read();
    this.readAt = nanos.getAsLong();
  }

  /** Reads the API key, or throws if the file has none. */
  public static BearerFile ofApiKey(Path file) {
    return ofApiKey(file, System::nanoTime);
  }

  static BearerFile ofApiKey(Path file, LongSupplier nanos) {
    return new BearerFile("the API key file", file, ApiKey::parse, nanos);
  }

  /** Reads the JWT, or throws if the file has none. */
  public static BearerFile ofJwt(Path file) {
    return ofJwt(file, System::nanoTime);
  }

  static BearerFile ofJwt(Path file, LongSupplier nanos) {
    return new BearerFile("the JWT file", file, Jwt::parse, nanos);
  }

  private Bearer read() {
    return parser.parse(name + " " + file, CredentialFiles.text(name, file));
  }

  /** Whether {@link #current} returns without reading the file. */
  public boolean isFresh() {
    return nanos.getAsLong() - readAt < FRESH_NANOS;
  }

  /**
   * Returns the key or token. While the file is unreadable or half written, the last good one
   * stays.
   */
  public Bearer current() {
    if (!isFresh()) {
      reread();
    }
    return bearer;
  }

  private synchronized void reread() {
    if (isFresh()) {
      return;
    }
    try {
      bearer = read();
      problem = "";
    } catch (IllegalArgumentException unreadable) {
      String message = String.valueOf(unreadable.getMessage());
      if (!message.equals(problem)) {
        log.warn("{}; the last {} stays in use", message, bearer);
      }
      problem = message;
    }
    readAt = nanos.getAsLong();
  }
}
