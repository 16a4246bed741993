package dev.hapax.grpc.tls;

import java.nio.file.Path;

/** A file of certificates or keys cannot be used. */
public final class InvalidCertificateException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final String problem;

  /**
   * Names the file.
   *
   * @param problem a predicate to its name, such as "does not exist"
   */
  public InvalidCertificateException(Path file, String problem) {
    super(file + " " + problem);
    this.file = file;
    this.problem = problem;
  }

  public Path file() {
    return file;
  }

  public String problem() {
    return problem;
  }
}
