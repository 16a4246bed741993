package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorReader;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.Violation;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.grpc.call.JsonDocument;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** A file with a lifecycle or the contract of a janitor. */
public sealed interface LifecycleFile {
  Path path();

  /** Returns kind and name of the content. */
  String title();

  /**
   * A file with a lifecycle.
   *
   * @param text original JSON
   * @param warnings probable mistakes
   */
  record OfLifecycle(Path path, Lifecycle lifecycle, String text, List<Violation> warnings)
      implements LifecycleFile {
    public OfLifecycle {
      warnings = List.copyOf(warnings);
    }

    @Override
    public String title() {
      return "lifecycle \"" + lifecycle.name() + '"';
    }
  }

  /** A file with the contract of a janitor. */
  record OfJanitor(Path path, JanitorContract contract) implements LifecycleFile {
    @Override
    public String title() {
      return "janitor \"" + contract.module() + '"';
    }
  }

  /** An invalid file with its violations. */
  record Invalid(Path path, List<Violation> violations) implements LifecycleFile {
    public Invalid {
      violations = List.copyOf(violations);
    }

    @Override
    public String title() {
      return violations.getFirst().subject();
    }
  }

  /** Reads a file and checks it with the rules of the server. */
  static LifecycleFile read(Path path) {
    try {
      return read(path, Files.readString(path, StandardCharsets.UTF_8));
    } catch (IOException e) {
      return unreadable(path, FileErrors.describe(path, e), "Use a text file in UTF-8.");
    }
  }

  private static LifecycleFile read(Path path, String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > Payload.MAX_BYTES) {
      return unreadable(
          path,
          String.format(Locale.ROOT, "has more than %d bytes", Payload.MAX_BYTES),
          "Split it, or remove unused parts.");
    }
    Document document;
    try {
      document = JsonDocument.parse(text);
    } catch (InvalidValueException e) {
      return unreadable(path, e.rule(), "Write it as JSON.");
    }
    return JanitorReader.isJanitor(document)
        ? janitor(path, JanitorReader.read(document))
        : lifecycle(path, text, LifecycleReader.read(document));
  }

  private static LifecycleFile janitor(Path path, JanitorReader.Read read) {
    return read.contract()
        .<LifecycleFile>map(contract -> new OfJanitor(path, contract))
        .orElseGet(() -> new Invalid(path, read.violations()));
  }

  private static LifecycleFile lifecycle(Path path, String text, LifecycleReader.Read read) {
    return read.lifecycle()
        .<LifecycleFile>map(lifecycle -> new OfLifecycle(path, lifecycle, text, read.warnings()))
        .orElseGet(() -> new Invalid(path, read.violations()));
  }

  private static LifecycleFile unreadable(Path path, String message, String advice) {
    var violation =
        new Violation(
            "the file", Optional.empty(), "form", "", OptionalInt.empty(), message, advice);
    return new Invalid(path, List.of(violation));
  }
}
