package dev.hapax.domain.lifecycle;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Lifecycles and contracts of janitors that are applied together, all or none.
 *
 * @param lifecycles at most one of each name
 * @param contracts at most one for each module
 */
public record LifecycleSet(
    Workspace workspace, List<Lifecycle> lifecycles, List<JanitorContract> contracts) {
  public LifecycleSet {
    lifecycles = requireLifecycles(lifecycles);
    contracts = requireContracts(contracts);
  }

  /** A set of one lifecycle. */
  public static LifecycleSet of(Workspace workspace, Lifecycle lifecycle) {
    return new LifecycleSet(workspace, List.of(lifecycle), List.of());
  }

  /** A set of one contract. */
  public static LifecycleSet of(Workspace workspace, JanitorContract contract) {
    return new LifecycleSet(workspace, List.of(), List.of(contract));
  }

  /** Returns the lifecycles, or throws if they are too many or two have one name. */
  public static List<Lifecycle> requireLifecycles(List<Lifecycle> lifecycles) {
    return require(lifecycles, Lifecycle::name, "lifecycles", LifecycleReads.MAX_PER_WORKSPACE);
  }

  /** Returns the contracts, or throws if they are too many or two have one module. */
  public static List<JanitorContract> requireContracts(List<JanitorContract> contracts) {
    return require(contracts, JanitorContract::module, "contracts", JanitorReads.MAX_PER_WORKSPACE);
  }

  private static <T> List<T> require(List<T> all, Function<T, String> name, String what, int most) {
    if (all.size() > most) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "has %d %s; at most %d are allowed", all.size(), what, most));
    }
    var names = new HashSet<String>();
    for (var each : all) {
      if (!names.add(name.apply(each))) {
        throw new InvalidValueException("has \"%s\" twice".formatted(name.apply(each)));
      }
    }
    return List.copyOf(all);
  }

  public LifecycleId id(Lifecycle lifecycle) {
    return new LifecycleId(workspace, lifecycle.name());
  }

  public JanitorId id(JanitorContract contract) {
    return new JanitorId(workspace, contract.module());
  }

  /** Returns the keys of the lifecycles, in their order. */
  public List<LifecycleId> lifecycleIds() {
    return lifecycles.stream().map(this::id).toList();
  }

  /** Returns the keys of the contracts, in their order. */
  public List<JanitorId> janitorIds() {
    return contracts.stream().map(this::id).toList();
  }
}
