package dev.hapax.bootstrap.startup.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files as people write them, and what may be wrong with them. */
public record Samples(Path folder) {
  public static final String BILLING =
      """
      {
        "lifecycle": "billing",
        "module": "billing",
        "status_types": ["approved", "closing", "closed"],
        "steps": [
          {
            "step_key": "close",
            "status": "approved",
            "claim_state": { "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed" },
            "action": { "admin": "Close" }
          }
        ]
      }
      """;

  public static final String JANITOR =
      "{\"janitor\": \"billing\", \"claim_states\": [\"closing\"]}";

  /** The lifecycle with one thing changed. */
  public static String billing(String target, String replacement) {
    if (!BILLING.contains(target)) {
      throw new IllegalArgumentException("there is no " + target);
    }
    return BILLING.replace(target, replacement);
  }

  public Path write(String name, String text) throws IOException {
    var file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }
}
