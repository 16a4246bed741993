package dev.hapax.grpc.tls;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of certificates, loaded again when their content changes. What cannot be used is not
 * loaded, and the last certificates stay in use.
 */
public final class CertificateFiles<T extends LoadedCertificates> {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateFiles.class);

  /** Checks the content of the files, now. */
  interface Reader<T> {
    T read(List<PemFile> files, Instant now) throws InvalidCertificateException;

    /** Returns what may still be used, now. */
    default T usable(T read, Instant now) {
      return read;
    }
  }

  /** Takes other certificates into use. */
  interface Change<T> {
    void to(T next) throws InvalidCertificateException;
  }

  private final CertificateUse use;
  private final List<Path> paths;
  private final Reader<T> reader;
  private T value;
  private Change<T> change = _ -> {};
  private String loaded;
  private Optional<String> problem = Optional.empty();
  private Set<X509Certificate> expired = Set.of();
  private volatile CertificateStatus status;

  /** Loads the files. */
  CertificateFiles(CertificateUse use, List<Path> paths, Reader<T> reader, Instant now)
      throws InvalidCertificateException {
    this.use = use;
    this.paths = List.copyOf(paths);
    this.reader = reader;
    var files = read();
    this.value = usable(reader.read(files, now), now);
    this.loaded = hash(files);
    this.status = new CertificateStatus(use, value.expires(), 0, 0);
  }

  /** Reads the certificate of a client of PostgreSQL; the driver loads it by itself. */
  public static CertificateFiles<?> ofDatabase(Path certificate, Instant now)
      throws InvalidCertificateException {
    return new CertificateFiles<>(
        CertificateUse.DATABASE,
        List.of(certificate),
        (files, _) -> new CertificateList(files.getFirst().certificates()),
        now);
  }

  /** Calls this before other certificates are in use; it may refuse them. */
  void onChange(Change<T> action) {
    change = action;
  }

  /** Returns the certificates in use. */
  T value() {
    return value;
  }

  /** Returns the state after the last poll; thread-safe. */
  public CertificateStatus status() {
    return status;
  }

  /** Loads the files if their content has changed, and drops what has expired. */
  void poll(Instant now) {
    try {
      var files = read();
      // a hash of the content: Kubernetes swaps a symbolic link, and times of files may stay
      var hash = hash(files);
      if (!hash.equals(loaded)) {
        var next = usable(reader.read(files, now), now);
        take(next);
        loaded = hash;
        status = status.reloaded(next.expires());
        LOG.info("{}: loaded, expires at {}", this, next.expires());
      } else if (problem.isPresent()) {
        LOG.info("{}: the files have the certificate in use again", this);
      }
      problem = Optional.empty();
    } catch (InvalidCertificateException e) {
      reject(String.valueOf(e.getMessage()));
    }
    dropExpired(now);
  }

  private void take(T next) throws InvalidCertificateException {
    change.to(next);
    value = next;
  }

  /** The certificates in use may expire although no file changes. */
  private void dropExpired(Instant now) {
    var rest = usable(value, now);
    if (rest.equals(value)) {
      return;
    }
    try {
      take(rest);
    } catch (InvalidCertificateException e) {
      reject(String.valueOf(e.getMessage()));
      return;
    }
    if (rest.certificates().isEmpty()) {
      LOG.error("{}: no certificate is left, every client certificate is refused", this);
    } else {
      status = status.expiring(rest.expires());
      LOG.warn(
          "{}: {} certificates are left, the first expires at {}",
          this,
          rest.certificates().size(),
          rest.expires());
    }
  }

  /** A certificate that is not valid yet is tried again, so only another problem is logged. */
  private void reject(String reason) {
    if (!problem.equals(Optional.of(reason))) {
      problem = Optional.of(reason);
      status = status.rejected();
      LOG.warn(
          "{}: not loaded, the one that expires at {} stays in use: {}",
          this,
          status.expires(),
          reason);
    }
  }

  /** Returns what may still be used, and logs each certificate that has expired once. */
  private T usable(T read, Instant now) {
    var before = expired;
    expired =
        read.certificates().stream()
            .filter(certificate -> LoadedCertificates.isExpired(certificate, now))
            .collect(Collectors.toUnmodifiableSet());
    expired.stream()
        .filter(certificate -> !before.contains(certificate))
        .forEach(
            certificate ->
                LOG.error(
                    "{}: {} expired at {}, renew it",
                    this,
                    certificate.getSubjectX500Principal(),
                    certificate.getNotAfter().toInstant()));
    return reader.usable(read, now);
  }

  private List<PemFile> read() throws InvalidCertificateException {
    var files = new ArrayList<PemFile>();
    for (var path : paths) {
      files.add(PemFile.read(path));
    }
    return files;
  }

  private static String hash(List<PemFile> files) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      for (var file : files) {
        var content = file.content().getBytes(StandardCharsets.ISO_8859_1);
        digest.update((content.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(content);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return "TLS certificate (" + use.label() + ") of " + paths.getFirst();
  }
}
