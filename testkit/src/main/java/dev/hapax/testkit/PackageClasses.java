package dev.hapax.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Finds the classes of a package, so that a test needs no list of them. */
public final class PackageClasses {
  private static final String FILE = ".class";

  private PackageClasses() {}

  /** Returns the classes beside this one in its folder or jar, whose names have this end. */
  public static List<Class<?>> beside(Class<?> one, String end) {
    try {
      var source = Objects.requireNonNull(one.getProtectionDomain().getCodeSource());
      return beside(one, end, source.getLocation().toURI());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Class<?>> beside(Class<?> one, String end, URI source) throws IOException {
    var folder = one.getPackageName().replace('.', '/');
    var root = Path.of(source);
    if (Files.isDirectory(root)) {
      return in(root.resolve(folder), one, end);
    }
    try (var jar = FileSystems.newFileSystem(root)) {
      return in(jar.getPath(folder), one, end);
    }
  }

  private static List<Class<?>> in(Path folder, Class<?> one, String end) throws IOException {
    try (var files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(end + FILE))
          .sorted()
          .<Class<?>>map(name -> load(one, name.substring(0, name.length() - FILE.length())))
          .toList();
    }
  }

  private static Class<?> load(Class<?> beside, String name) {
    try {
      return Class.forName(beside.getPackageName() + "." + name, false, beside.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
