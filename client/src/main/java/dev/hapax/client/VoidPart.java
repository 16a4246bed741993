package dev.hapax.client;

/** The body of a {@link Part} without an output. */
@FunctionalInterface
public interface VoidPart {

  /** As {@link Part#run}. */
  void run(String id) throws Exception;
}
