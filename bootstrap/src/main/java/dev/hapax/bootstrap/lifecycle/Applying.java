package dev.hapax.bootstrap.lifecycle;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.DeclareJanitor;
import dev.hapax.domain.janitor.DeclareJanitorOutcome;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.Uncovered;
import dev.hapax.domain.lifecycle.Retirement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Applies the files of one workspace; one that is refused does not spare the others. */
final class Applying {
  private static final long PAUSE_SECONDS = 1;

  private final Workspace workspace;
  private final Lifecycles lifecycles;
  private final Janitors janitors;
  private final List<String> problems = new ArrayList<>();

  Applying(Workspace workspace, Lifecycles lifecycles, Janitors janitors) {
    this.workspace = workspace;
    this.lifecycles = lifecycles;
    this.janitors = janitors;
  }

  /** Why some were refused, if they were. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Applies them; how many were not so before. */
  int apply(LifecycleFiles files) throws IOException {
    var changed = 0;
    var later = new ArrayList<LifecycleFile.OfJanitor>();
    for (var file : files.janitors().toList()) {
      switch (declare(file.contract())) {
        case DeclareJanitorOutcome.Declared(_, var already) -> changed += already ? 0 : 1;
        case DeclareJanitorOutcome.Uncovers(var uncovered) -> {
          // what still relies on the old contract may be what a file here takes the place of
          var _ = declare(with(file.contract(), uncovered));
          later.add(file);
        }
      }
    }
    for (var file : files.lifecycles().toList()) {
      changed += isNew(file) ? 1 : 0;
    }
    for (var file : later) {
      changed += isNew(file) ? 1 : 0;
    }
    return changed;
  }

  private static JanitorContract with(JanitorContract contract, List<Uncovered> uncovered) {
    var states = new TreeSet<>(contract.claimStates());
    uncovered.forEach(each -> states.add(each.claimState()));
    return new JanitorContract(contract.module(), states, contract.timing(), contract.mode());
  }

  private DeclareJanitorOutcome declare(JanitorContract contract) throws IOException {
    return done(janitors.declare(new DeclareJanitor(workspace, contract)));
  }

  private boolean isNew(LifecycleFile.OfJanitor file) throws IOException {
    return switch (declare(file.contract())) {
      case DeclareJanitorOutcome.Declared(_, var already) -> !already;
      case DeclareJanitorOutcome.Uncovers(var uncovered) -> {
        uncovered.forEach(
            each ->
                problem(
                    file,
                    "%s would no longer cover claim state \"%s\", which lifecycle \"%s\" relies on. Keep it, or change the lifecycle first."
                        .formatted(file.title(), each.claimState(), each.lifecycle())));
        yield false;
      }
    };
  }

  private boolean isNew(LifecycleFile.OfLifecycle file) throws IOException {
    return switch (patiently(file)) {
      case ApplyOutcome.Applied(_, var already) -> !already;
      case ApplyOutcome.Uncovered(var missing) -> {
        missing.forEach(
            each ->
                problem(
                    file,
                    "%s. A file in this folder with {\"janitor\": \"%s\", \"claim_states\": [\"%s\"]} would do."
                        .formatted(each.text(), each.module(), each.claimState())));
        yield false;
      }
      case ApplyOutcome.InUse inUse -> {
        problem(file, inUse(file, inUse));
        yield false;
      }
      case ApplyOutcome.Changing _ ->
          throw new IOException(
              "%s: %s is being changed by somebody else; start again"
                  .formatted(file.path(), file.title()));
    };
  }

  private static String inUse(LifecycleFile file, ApplyOutcome.InUse inUse) {
    var first = inUse.stranded().getFirst();
    return "%s cannot be changed so: the change would take away %s, and entity \"%s\" is in \"%s\"%s. Move them on first, or keep the statuses."
        .formatted(
            file.title(),
            String.join(", ", new TreeSet<>(inUse.statuses())),
            first.id().id(),
            first.status(),
            inUse.stranded().size() == 1
                ? ""
                : ", and %d more are in the way".formatted(inUse.stranded().size() - 1));
  }

  /** Another server that starts may be changing the same. */
  private ApplyOutcome patiently(LifecycleFile.OfLifecycle file) throws IOException {
    var tries = 2 * Retirement.TIME.toSeconds() / PAUSE_SECONDS;
    var outcome = done(lifecycles.apply(workspace, file.lifecycle()));
    while (outcome instanceof ApplyOutcome.Changing && tries-- > 0) {
      var pause = CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS);
      outcome =
          done(
              CompletableFuture.runAsync(() -> {}, pause)
                  .thenCompose(_ -> lifecycles.apply(workspace, file.lifecycle())));
    }
    return outcome;
  }

  private void problem(LifecycleFile file, String what) {
    problems.add(file.path() + ": " + what);
  }

  private static <T> T done(CompletableFuture<T> future) throws IOException {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw new IOException("lifecycles cannot be applied: " + e.getCause(), e);
    }
  }
}
