package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.document.Transcript.Exchange;
import dev.hapax.bootstrap.kit.KitTestServer;
import dev.hapax.bootstrap.kit.PythonKit;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Runs the blocks of one page as its reader does, from the root of a checkout. Programs that run
 * until they are stopped have a terminal of their own, and run until the end of the page. Its
 * {@code ./hapax} is that of this build, with a database and a port of the page's own.
 */
final class Terminal implements AutoCloseable {
  private static final String DOCUMENTED_SERVER = "127.0.0.1:7420";
  private static final String DOCUMENTED_HTTP = "127.0.0.1:7421";

  /** Programs that run until they are stopped, and what they say when they have started. */
  private static final Map<String, String> ENDLESS =
      Map.of(
          "./hapax serve", "hapax ready on ",
          "node worker.js", "works on ",
          "python3 worker.py", "works",
          "shop.js worker", "works on ",
          "shop.js janitor", "recovers ");

  /** What of a checkout the commands use. */
  private static final List<String> FOLDERS = List.of("examples", "proto", "docs", "kits");

  private final TestDatabase database = TestDatabase.create();
  private final Transcript transcript = new Transcript();
  private final List<HapaxProcess> running = new ArrayList<>();
  private final Path folder;
  private final String server;
  private final String http;
  private final Map<String, String> environment;

  Terminal(Path folder) throws IOException {
    this.folder = folder;
    this.server = "127.0.0.1:" + FreePort.next();
    this.http = "127.0.0.1:" + FreePort.next();
    this.environment = new HashMap<>(KitTestServer.variables());
    environment.putAll(
        Map.of(
            "HAPAX_SERVER",
            server,
            "HAPAX_LISTEN",
            server,
            "HAPAX_DATABASE_URL",
            database.url(),
            // the pages are those of the first minute: plaintext, without a key
            "HAPAX_TLS_CA",
            "",
            "HAPAX_API_KEY",
            "",
            "PATH",
            folder.resolve("bin") + ":" + System.getenv("PATH")));
    for (var name : FOLDERS) {
      Files.createSymbolicLink(folder.resolve(name), CodeBlock.root().resolve(name));
    }
    Files.createDirectory(folder.resolve("bin"));
    script(folder.resolve("hapax"), HapaxProcess.MAIN);
    script(folder.resolve("bin").resolve("grpcurl"), GrpcurlMain.class.getName());
    script(folder.resolve("bin").resolve("python3"), PythonKit.command());
  }

  private static void script(Path file, String main) throws IOException {
    script(file, HapaxProcess.command(main));
  }

  private static void script(Path file, List<String> words) throws IOException {
    var command = words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    Files.writeString(file, "#!/bin/sh\nexec " + command + " \"$@\"\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Executes the block as its language says. */
  void execute(CodeBlock block) {
    if (block.isFile()) {
      write(block);
      return;
    }
    assertThat(block.note()).as(block.place()).isEmpty();
    if (block.language().equals("console")) {
      Transcript.read(block).forEach(exchange -> compare(block, exchange));
    } else {
      run(block);
    }
  }

  private void write(CodeBlock block) {
    try {
      Files.writeString(folder.resolve(block.note()), block.text() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the commands, which must succeed. */
  private void run(CodeBlock block) {
    var commands = transcript.fill(block.text());
    for (var program : ENDLESS.entrySet()) {
      if (commands.contains(program.getKey())) {
        var started = shell(commands);
        running.add(started);
        var _ = started.awaitOutput(line -> line.startsWith(program.getValue()));
        return;
      }
    }
    try (var shell = shell(commands)) {
      assertThat(shell.awaitExit()).as("%s: %s", block.place(), shell.errors()).isZero();
    }
  }

  /** The command must print what the page shows. */
  private void compare(CodeBlock block, Exchange exchange) {
    var command = transcript.fill(exchange.command());
    try (var shell = shell("exec 2>&1\n" + command)) {
      var _ = shell.awaitExit();
      var printed = String.join("\n", shell.output());
      assertThat(transcript.matches(exchange.output(), printed))
          .as(
              "%s: %s\nmust print:\n%s\nbut printed:\n%s",
              block.place(), command, exchange.output(), printed)
          .isTrue();
    }
  }

  private HapaxProcess shell(String commands) {
    var script = commands.replace(DOCUMENTED_SERVER, server).replace(DOCUMENTED_HTTP, http);
    return HapaxProcess.startProgram(folder, environment(commands), "sh", "-ec", script);
  }

  /** A command that names a data folder is about the built-in PostgreSQL. */
  private Map<String, String> environment(String commands) {
    if (!commands.contains("--data-dir")) {
      return environment;
    }
    var builtIn = new HashMap<>(environment);
    builtIn.put("HAPAX_DATABASE_URL", "");
    return builtIn;
  }

  @Override
  public void close() throws IOException {
    for (var program : running.reversed()) {
      program.killChildren();
      program.close();
    }
    database.close();
    for (var name : FOLDERS) {
      Files.delete(folder.resolve(name));
    }
  }
}
