package dev.hapax.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What users of the client can refer to, read from its classes. */
final class PublicApi {

  private PublicApi() {}

  /**
   * A public or protected member, or a type.
   *
   * @param type the class that has it, without the package of the client
   * @param name empty for a type
   * @param text as Java declares it
   */
  record Element(String type, String name, String text) {

    /** A line of the list. */
    String line() {
      return type + ": " + text;
    }
  }

  /** The packages that the module exports. */
  static Set<String> packages() {
    try (InputStream module = Files.newInputStream(classes().resolve("module-info.class"))) {
      return ModuleDescriptor.read(module).exports().stream()
          .map(ModuleDescriptor.Exports::source)
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** The public and protected types of the exported packages, nested ones too. */
  static List<Class<?>> types() {
    List<Class<?>> types = new ArrayList<>();
    for (String exported : packages()) {
      try (Stream<Path> files = Files.list(classes().resolve(exported.replace('.', '/')))) {
        files
            .map(file -> file.getFileName().toString())
            .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
            .sorted()
            .map(file -> load(exported + "." + file.replace(".class", "")))
            .filter(type -> isVisible(type))
            .forEach(types::add);
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return types;
  }

  /** All elements, sorted by their lines. */
  static List<Element> elements() {
    return types().stream()
        .flatMap(type -> Stream.concat(Stream.of(declaration(type)), members(type)))
        .sorted((left, right) -> left.line().compareTo(right.line()))
        .toList();
  }

  private static Path classes() {
    try {
      return Path.of(Hapax.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, PublicApi.class.getClassLoader());
    } catch (ClassNotFoundException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static boolean isVisible(Class<?> type) {
    return !type.isAnonymousClass()
        && !type.isSynthetic()
        && isVisible(type.getModifiers())
        && (type.getEnclosingClass() == null || isVisible(type.getEnclosingClass()));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static Element declaration(Class<?> type) {
    List<Type> above = new ArrayList<>(Arrays.asList(type.getGenericInterfaces()));
    Type parent = type.getGenericSuperclass();
    if (parent != null && parent != Object.class && !type.isRecord() && !type.isEnum()) {
      above.add(0, parent);
    }
    String names = above.stream().map(Type::getTypeName).sorted().collect(Collectors.joining(", "));
    String text = type.toGenericString() + (names.isEmpty() ? "" : " of " + names);
    return new Element(name(type), "", shorten(text));
  }

  private static Stream<Element> members(Class<?> type) {
    return Stream.of(
            type.getDeclaredConstructors(), type.getDeclaredMethods(), type.getDeclaredFields())
        .<AnnotatedElement>flatMap(Arrays::stream)
        .filter(each -> isVisible(((Member) each).getModifiers()))
        .filter(each -> !((Member) each).isSynthetic() && !isGenerated(type, (Member) each))
        .map(each -> new Element(name(type), ((Member) each).getName(), text(type, each)));
  }

  /** What the compiler adds to records and enums. */
  private static boolean isGenerated(Class<?> type, Member member) {
    return switch (member.getName()) {
      case "equals", "hashCode", "toString" -> type.isRecord();
      case "values", "valueOf" -> type.isEnum();
      default -> false;
    };
  }

  private static String text(Class<?> type, AnnotatedElement member) {
    String text =
        member instanceof Executable executable
            ? executable.toGenericString()
            : ((java.lang.reflect.Field) member).toGenericString();
    // the declaring class stands at the beginning of the line
    return shorten(
        text.replace(
            type.getTypeName() + "." + ((Member) member).getName(),
            "." + ((Member) member).getName()));
  }

  private static String name(Class<?> type) {
    return shorten(type.getName().replace('$', '.'));
  }

  private static String shorten(String text) {
    return text.replace('$', '.')
        .replaceAll("\\bdev[.]hapax[.]client[.](?=[A-Z])", "")
        .replaceAll("\\bjava[.](?:lang|util|util[.]function|time)[.](?=[A-Z])", "")
        .replaceAll(" [.](?=[a-z])", " ");
  }
}
