package dev.hapax.bootstrap.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The user the PostgreSQL programs run as. Usually that is ours; but they refuse to run as root.
 *
 * @param prefix what has to stand before each command
 * @param uid who owns the files of the cluster
 */
record OsUser(List<String> prefix, int uid) {
  private static final int ROOT = 0;

  // in a user namespace of its own root is nobody, yet still owns its files
  private static final List<String> NAMESPACE = List.of("unshare", "-U");

  // containers mostly forbid that, so there it has to be another user for good
  private static final List<List<String>> OTHER_USERS =
      List.of(
          List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
          List.of("su", "-s", "/bin/sh", "-c", "exec \"$0\" \"$@\"", "--", "nobody"));

  static OsUser allowed() throws IOException {
    int uid = Math.toIntExact(new UnixSystem().getUid());
    if (uid != ROOT) {
      return new OsUser(List.of(), uid);
    }
    if (uidBehind(NAMESPACE) != ROOT) {
      return new OsUser(NAMESPACE, ROOT);
    }
    for (var prefix : OTHER_USERS) {
      int other = uidBehind(prefix);
      if (other != ROOT) {
        return new OsUser(prefix, other);
      }
    }
    throw new IOException(
        "PostgreSQL refuses to run as root, and there is no way to another user here: run hapax as"
            + " another user, or use --database-url with a PostgreSQL of yours");
  }

  // root where it does not work at all, or the user has no name, which PostgreSQL insists on
  private static int uidBehind(List<String> prefix) {
    try {
      boolean named = !ExternalProcess.of(prefix, "id", "-un").run().failed();
      var uid = ExternalProcess.of(prefix, "id", "-u").run();
      return named && !uid.failed() ? Integer.parseInt(uid.output().strip()) : ROOT;
    } catch (IOException | NumberFormatException _) {
      return ROOT;
    }
  }

  /** Whether files made by us belong to somebody else than who has to work with them. */
  boolean isOther() {
    return uid != Math.toIntExact(new UnixSystem().getUid());
  }

  /** Hands a file or folder over. */
  void own(Path path) throws IOException {
    if (isOther()) {
      Files.setAttribute(path, "unix:uid", uid);
    }
  }
}
