package dev.hapax.client.internal;

import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The API key in a file, which is read again for calls a second later or more. */
public final class ApiKeyFile {

  private static final Logger log = LoggerFactory.getLogger(ApiKeyFile.class);
  private static final long FRESH_NANOS = 1_000_000_000L;

  private final Path file;
  private final LongSupplier nanos;
  private volatile ApiKey key;
  private volatile long readAt;

  // guarded by this; empty = the last read was good
  private String problem = "";

  /** Reads the key, or throws if the file has none. */
  public ApiKeyFile(Path file) {
    this(file, System::nanoTime);
  }

  ApiKeyFile(Path file, LongSupplier nanos) {
    this.file = file;
    this.nanos = nanos;
    this.key = CredentialFiles.apiKey(file);
    this.readAt = nanos.getAsLong();
  }

  /** Whether {@link #current} returns without reading the file. */
  public boolean isFresh() {
    return nanos.getAsLong() - readAt < FRESH_NANOS;
  }

  /** Returns the key. While the file is unreadable or half written, the last good key stays. */
  public ApiKey current() {
    if (!isFresh()) {
      reread();
    }
    return key;
  }

  private synchronized void reread() {
    if (isFresh()) {
      return;
    }
    try {
      key = CredentialFiles.apiKey(file);
      problem = "";
    } catch (IllegalArgumentException unreadable) {
      String message = String.valueOf(unreadable.getMessage());
      if (!message.equals(problem)) {
        log.warn("{}; the last key {} stays in use", message, key);
      }
      problem = message;
    }
    readAt = nanos.getAsLong();
  }
}
