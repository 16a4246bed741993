package dev.hapax.bootstrap.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The files of this repository. */
public final class Repository {
  /** Made by builds and tools, where there is no git to ask. */
  private static final Set<String> MADE =
      Set.of("target", ".git", ".hapax", "node_modules", ".idea");

  private static final Path ROOT = find(Path.of("").toAbsolutePath());

  private Repository() {}

  public static Path root() {
    return ROOT;
  }

  private static Path find(Path folder) {
    for (var here = folder; here != null; here = here.getParent()) {
      if (Files.exists(here.resolve("mvnw"))) {
        return here;
      }
    }
    throw new IllegalStateException("no repository around " + folder);
  }

  /** All that git tracks, by path from the root; without git, all that no build made. */
  static List<Path> files() {
    try {
      var git =
          new ProcessBuilder("git", "ls-files", "-z")
              .directory(ROOT.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      var names = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (git.waitFor() == 0) {
        return Stream.of(names.split("\0"))
            .map(Path::of)
            .filter(path -> Files.exists(ROOT.resolve(path)))
            .toList();
      }
    } catch (IOException _) {
      return walked();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return walked();
  }

  private static List<Path> walked() {
    try (var all = Files.walk(ROOT)) {
      return all.map(ROOT::relativize)
          .filter(path -> Stream.of(path.toString().split("/")).noneMatch(MADE::contains))
          .filter(path -> Files.isRegularFile(ROOT.resolve(path)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Those whose path matches, such as {@code .*\.java}. */
  public static List<Path> files(String pattern) {
    return files().stream().filter(path -> path.toString().matches(pattern)).toList();
  }

  public static String text(Path path) {
    return textIfAny(path).orElseThrow(() -> new IllegalArgumentException(path + " is not text"));
  }

  /** Empty for what is not text. */
  static Optional<String> textIfAny(Path path) {
    try {
      return Optional.of(Files.readString(ROOT.resolve(path)));
    } catch (MalformedInputException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
