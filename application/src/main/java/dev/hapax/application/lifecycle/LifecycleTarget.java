package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.domain.janitor.JanitorContract;
import java.io.IOException;

/** The target of a deployment: the starting server or a remote one. */
public interface LifecycleTarget {
  ApplyAnswer declare(JanitorContract contract) throws IOException;

  ApplyAnswer apply(LifecycleFile.OfLifecycle file) throws IOException;
}
