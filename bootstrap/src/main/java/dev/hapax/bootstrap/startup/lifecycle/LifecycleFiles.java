package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.bootstrap.startup.lifecycle.FileFinding.Severity;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.json.Violation;
import dev.hapax.domain.lifecycle.LifecycleSet;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** The files of one workspace: lifecycles and the janitors they need. */
public record LifecycleFiles(List<LifecycleFile> files) {
  public LifecycleFiles {
    files = List.copyOf(files);
  }

  public static LifecycleFiles read(List<Path> paths) {
    return new LifecycleFiles(paths.stream().map(LifecycleFile::read).toList());
  }

  /** Returns the content of the files, which must be valid. */
  LifecycleSet set(Workspace workspace) {
    return new LifecycleSet(
        workspace,
        lifecycles().map(LifecycleFile.OfLifecycle::lifecycle).toList(),
        janitors().map(LifecycleFile.OfJanitor::contract).toList());
  }

  /** Returns the valid files with lifecycles. */
  public Stream<LifecycleFile.OfLifecycle> lifecycles() {
    return of(LifecycleFile.OfLifecycle.class);
  }

  /** Returns the valid files with contracts of janitors. */
  public Stream<LifecycleFile.OfJanitor> janitors() {
    return of(LifecycleFile.OfJanitor.class);
  }

  private <T extends LifecycleFile> Stream<T> of(Class<T> kind) {
    return files.stream().filter(kind::isInstance).map(kind::cast);
  }

  /** Returns a line for each violation. */
  public List<String> problems() {
    return violations().map(FileFinding::line).toList();
  }

  /** Returns the violations that prevent the files from being applied. */
  public Stream<FileFinding> violations() {
    return Stream.concat(
        of(LifecycleFile.Invalid.class).flatMap(LifecycleFiles::violations), duplicates());
  }

  private static Stream<FileFinding> violations(LifecycleFile.Invalid file) {
    return file.violations().stream()
        .sorted(Comparator.comparingInt(violation -> violation.line().orElse(0)))
        .map(violation -> new FileFinding(file.path(), Severity.VIOLATION, violation));
  }

  /** Returns duplicates across files, of which the last one would win at every start. */
  private Stream<FileFinding> duplicates() {
    var first = new HashMap<String, Path>();
    return Stream.concat(lifecycles(), janitors())
        .flatMap(
            file ->
                Optional.ofNullable(first.putIfAbsent(file.title(), file.path())).stream()
                    .map(other -> duplicates(file, other)));
  }

  private static FileFinding duplicates(LifecycleFile file, Path other) {
    return whole(file, Severity.VIOLATION, "duplicate", "is also in " + other, "Keep one of them.");
  }

  /** Returns the warnings. */
  public Stream<FileFinding> warnings() {
    return lifecycles()
        .flatMap(
            file ->
                file.warnings().stream()
                    .map(warning -> new FileFinding(file.path(), Severity.WARNING, warning)));
  }

  /** Returns the claim states that no janitor in these files covers. */
  public Stream<FileFinding> uncovered() {
    var contracts = janitors().map(file -> file.contract()).toList();
    return lifecycles()
        .flatMap(
            file ->
                UncoveredState.of(List.of(file.lifecycle().requiredClaimStates()), contracts)
                    .stream()
                    .map(missing -> uncovered(file, missing)));
  }

  private static FileFinding uncovered(LifecycleFile file, UncoveredState missing) {
    return whole(
        file,
        Severity.NOTE,
        "claim-state-uncovered",
        "no janitor in these files covers claim state \"%s\"".formatted(missing.claimState()),
        "The server needs one: {\"janitor\": \"%s\", \"claim_states\": [\"%s\"]}."
            .formatted(missing.module(), missing.claimState()));
  }

  private static FileFinding whole(
      LifecycleFile file, Severity severity, String rule, String message, String advice) {
    return new FileFinding(
        file.path(),
        severity,
        new Violation(
            file.title(), Optional.empty(), rule, "", OptionalInt.empty(), message, advice));
  }
}
