package dev.hapax.application.lifecycle;

import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.lifecycle.Lifecycle;

/** A lifecycle or the contract of a janitor that is to be applied. */
public sealed interface LifecycleDeclaration {
  /** Returns where it is from, such as the path of a file. */
  String source();

  /** Returns kind and name. */
  String title();

  /**
   * A lifecycle.
   *
   * @param text original JSON
   */
  record OfLifecycle(String source, Lifecycle lifecycle, String text)
      implements LifecycleDeclaration {
    @Override
    public String title() {
      return "lifecycle \"" + lifecycle.name() + '"';
    }
  }

  /** The contract of a janitor. */
  record OfJanitor(String source, JanitorContract contract) implements LifecycleDeclaration {
    @Override
    public String title() {
      return "janitor \"" + contract.module() + '"';
    }
  }
}
