package dev.hapax.bootstrap.lifecycle;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.bootstrap.config.ConfigurationException;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.CompletionException;

/** Whether every claim state that any lifecycle of the database declares has a janitor. */
public final class Coverage {
  private Coverage() {}

  /** Refuses what would leave an entity stuck for ever. */
  public static void require(Janitors janitors) throws ConfigurationException, IOException {
    try {
      var problems =
          janitors.uncovered().join().entrySet().stream()
              .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
              .flatMap(
                  of ->
                      of.getValue().stream()
                          .map(
                              missing ->
                                  "workspace \"%s\", %s"
                                      .formatted(of.getKey().name(), missing.text())))
              .toList();
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
    } catch (CompletionException e) {
      throw new IOException("janitors cannot be read: " + e.getCause(), e);
    }
  }
}
