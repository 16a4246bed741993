package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.cli.HapaxCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;

/** A command as it is typed where no server is, and what it said. */
record Typed(int code, String out, String err) {
  static Typed hapax(String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    var code =
        HapaxCommand.commandLine(Map.of())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new Typed(code, out.toString(), err.toString());
  }

  List<String> lines() {
    return out.lines().toList();
  }
}
