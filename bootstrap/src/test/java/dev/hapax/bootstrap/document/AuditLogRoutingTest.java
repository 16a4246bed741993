package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import dev.hapax.bootstrap.architecture.Repository;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogRoutingTest {
  private static final String BEGIN = "```xml\n";

  @Test
  @DisplayName("given the documented configuration, then the audit log has a file of its own")
  void routes(@TempDir Path folder) throws Exception {
    var file = folder.resolve("audit.jsonl");
    var loggers = new LoggerContext();
    loggers.setMDCAdapter(new LogbackMDCAdapter());
    loggers.putProperty("AUDIT_FILE", file.toString());
    var configurator = new JoranConfigurator();
    configurator.setContext(loggers);
    configurator.doConfigure(
        new ByteArrayInputStream(documented().getBytes(StandardCharsets.UTF_8)));

    loggers.getLogger("hapax.audit").info("{}", "{\"ts\":\"now\"}");
    loggers.getLogger("dev.hapax.Other").info("other");
    loggers.stop();

    assertThat(Files.readString(file)).isEqualTo("{\"ts\":\"now\"}\n");
  }

  private static String documented() throws Exception {
    var page = Repository.text(Path.of("docs/security.md"));
    var begin = page.indexOf(BEGIN) + BEGIN.length();
    return page.substring(begin, page.indexOf("```", begin));
  }
}
