package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.file.Path;

/** The PostgreSQL programs, run as a user they accept. */
record PostgresPrograms(PostgresBinaries binaries, OsUser account) {

  static PostgresPrograms forData(Path dataDir) throws IOException {
    var account = OsUser.allowed();
    account.letPass(dataDir);
    // another user cannot access the home folder
    var cache = account.isOther() ? BinariesCache.beside(dataDir) : BinariesCache.folder(dataDir);
    var programs = new PostgresPrograms(PostgresBinaries.unpacked(cache), account);
    if (account.isOther() && programs.run("postgres", "--version").failed()) {
      throw new IOException(
          "PostgreSQL cannot run as root, and the user it runs as instead cannot access "
              + dataDir
              + ": set another folder with --data-dir, for example /var/lib/hapax");
    }
    return programs;
  }

  ExternalProcess.Ended run(String program, String... arguments) throws IOException {
    return ExternalProcess.of(account.prefix(), binaries.program(program).toString(), arguments)
        .run();
  }
}
