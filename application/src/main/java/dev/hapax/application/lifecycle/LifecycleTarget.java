package dev.hapax.application.lifecycle;

import dev.hapax.domain.janitor.JanitorContract;

/** The target of a deployment: the starting server or a remote one. */
public interface LifecycleTarget {
  ApplyAnswer declare(JanitorContract contract);

  ApplyAnswer apply(LifecycleDeclaration.OfLifecycle declared);
}
