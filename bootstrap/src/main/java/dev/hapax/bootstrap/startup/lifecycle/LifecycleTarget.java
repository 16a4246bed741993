package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.domain.janitor.JanitorContract;
import java.io.IOException;

/** Where the files of one workspace are applied: the server that starts, or one that runs. */
public interface LifecycleTarget {
  ApplyAnswer declare(JanitorContract contract) throws IOException;

  ApplyAnswer apply(LifecycleFile.OfLifecycle file) throws IOException;
}
