package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Levels are of the process. */
@Isolated
class LoggingTest {
  private static final Logger CHANNEL = (Logger) LoggerFactory.getLogger(Logging.CHANNEL);
  private final Level before = CHANNEL.getLevel();

  @AfterEach
  void restore() {
    CHANNEL.setLevel(before);
  }

  @Test
  @DisplayName("given a server, then it logs why a channel within it has failed [kill-loops-3]")
  void channel() {
    CHANNEL.setLevel(Level.OFF);
    Logging.ofServer();
    assertThat(CHANNEL.isWarnEnabled()).isTrue();
  }
}
