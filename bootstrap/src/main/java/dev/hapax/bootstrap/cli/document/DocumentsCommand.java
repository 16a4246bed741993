package dev.hapax.bootstrap.cli.document;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the man page and the completion scripts of a release. */
@Command(name = "documents", hidden = true, description = "Used by the build of a release.")
public final class DocumentsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "DIR", description = "A folder with the layout of /usr/share.")
  private Path folder = Path.of("");

  @Override
  public Integer call() throws IOException {
    var root = spec.root().commandLine();
    write("man/man1/hapax.1", ManPage.of(root));
    for (var shell : CompletionShell.values()) {
      write(shell.path(), shell.script(root));
    }
    return ExitCode.OK;
  }

  private void write(String path, String text) throws IOException {
    var file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
