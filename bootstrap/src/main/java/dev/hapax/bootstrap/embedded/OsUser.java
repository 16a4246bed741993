package dev.hapax.bootstrap.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;

/**
 * The user that runs the PostgreSQL programs: the current one, unless that is root.
 *
 * @param prefix command that switches to the user; may be empty
 * @param uid owner of the files of the cluster
 */
record OsUser(List<String> prefix, int uid) {
  private static final int ROOT = 0;

  // in a new user namespace root becomes an unprivileged user that still owns its files
  private static final List<String> NAMESPACE = List.of("unshare", "-U");

  // most containers forbid user namespaces: switch to another user
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
        "PostgreSQL refuses to run as root, and hapax cannot switch to another user: run hapax as"
            + " another user, or set --database-url to an external PostgreSQL");
  }

  // returns root if the switch fails, or if the user has no name, which PostgreSQL requires
  private static int uidBehind(List<String> prefix) {
    try {
      boolean named = !ExternalProcess.of(prefix, "id", "-un").run().failed();
      var uid = ExternalProcess.of(prefix, "id", "-u").run();
      return named && !uid.failed() ? Integer.parseInt(uid.output().strip()) : ROOT;
    } catch (IOException | NumberFormatException _) {
      return ROOT;
    }
  }

  /** Returns whether the user differs from the current one. */
  boolean isOther() {
    return uid != Math.toIntExact(new UnixSystem().getUid());
  }

  /** Lets this user reach what it owns in a folder of the current one. */
  void letPass(Path folder) throws IOException {
    if (isOther()) {
      var permissions = Files.getPosixFilePermissions(folder);
      permissions.add(PosixFilePermission.OTHERS_EXECUTE);
      Files.setPosixFilePermissions(folder, permissions);
    }
  }

  /** Changes the owner of a file or folder to this user. */
  void own(Path path) throws IOException {
    if (isOther()) {
      Files.setAttribute(path, "unix:uid", uid);
    }
  }
}
