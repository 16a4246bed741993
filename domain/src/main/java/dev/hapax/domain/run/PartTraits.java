package dev.hapax.domain.run;

/**
 * How an output came about, for workers that check whether their code fits the records of a run.
 *
 * @param overlapped another part of its scope ran meanwhile, so that their order means nothing
 * @param isWait it is the end of a wait
 */
public record PartTraits(boolean overlapped, boolean isWait) {
  public static final PartTraits NONE = new PartTraits(false, false);
}
