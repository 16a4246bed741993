import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;

/**
 * Checks that each class, method and field that our jars refer to is on the class path: {@code java
 * Linkage.java CLASSPATH}. Of a class path, the jars named {@code hapax-*} are ours. Libraries that
 * are optional may be missing as a whole.
 */
final class Linkage {
  /** Those that only some of our classes use: ours, and the package that they may lack. */
  private static final Map<String, String> OPTIONAL =
      Map.of(
          "dev/hapax/client/internal/OtelTraces", "io/opentelemetry/",
          "dev/hapax/client/internal/Jackson2Json", "com/fasterxml/jackson/databind/",
          // with Jackson 3 its annotations are there
          "dev/hapax/client/internal/Jackson[2]Json", "com/fasterxml/jackson/core/",
          "dev/hapax/client/internal/Jackson3Json", "tools/jackson/",
          "dev/hapax/spring/HapaxHealthAutoConfiguration[$]Boot3",
              "org/springframework/boot/actuate/health/",
          "dev/hapax/spring/HapaxHealthAutoConfiguration[$]Boot4",
              "org/springframework/boot/health/",
          "dev/hapax/(test/)?v1/[A-Za-z]+Grpc", "io/grpc/protobuf/",
          "dev/hapax/testing/InstanceOfContext", "org/springframework/");

  private final List<JarFile> jars = new ArrayList<>();
  private final Map<String, ClassModel> models = new HashMap<>();
  private final Set<String> missing = new TreeSet<>();
  private int references;
  private int skipped;

  void main(String[] args) throws IOException {
    var ours = new ArrayList<JarFile>();
    for (var path : args[0].split(":")) {
      var jar = new JarFile(path);
      jars.add(jar);
      if (path.matches(".*/hapax-[^/]*")) {
        ours.add(jar);
      }
    }
    for (var jar : ours) {
      for (var entry : jar.stream().filter(each -> each.getName().endsWith(".class")).toList()) {
        if (!entry.getName().endsWith("module-info.class")) {
          check(ClassFile.of().parse(jar.getInputStream(entry).readAllBytes()));
        }
      }
    }
    missing.stream().limit(20).forEach(System.out::println);
    System.out.printf(
        "%d references of %d jars, %d missing, %d to libraries that are optional and not there%n",
        references, ours.size(), missing.size(), skipped);
    if (ours.isEmpty() || references == 0 || !missing.isEmpty()) {
      System.exit(1);
    }
  }

  private void check(ClassModel ours) {
    var name = ours.thisClass().asInternalName();
    ours.methods().forEach(each -> types(name, each.methodType().stringValue()));
    ours.fields().forEach(each -> types(name, each.fieldType().stringValue()));
    for (var entry : ours.constantPool()) {
      String owner;
      String member = "";
      switch (entry) {
        case ClassEntry type -> owner = type.asInternalName();
        case MemberRefEntry ref -> {
          owner = ref.owner().asInternalName();
          member = ref.name().stringValue() + " " + ref.type().stringValue();
          types(name, ref.type().stringValue());
        }
        default -> {
          continue;
        }
      }
      if (owner.startsWith("[")) {
        continue;
      }
      refer(name, owner, member);
    }
  }

  /** The classes that a descriptor names. */
  private void types(String ours, String descriptor) {
    var named = Pattern.compile("L([^;]+);").matcher(descriptor);
    while (named.find()) {
      refer(ours, named.group(1), "");
    }
  }

  private void refer(String ours, String owner, String member) {
    references++;
    var model = model(owner);
    if (model == null && isOptional(ours, owner)) {
      skipped++;
    } else if (model == null
        || !isVisible(model.flags().flagsMask(), ours, owner)
        || !member.isEmpty() && !has(model, member, ours, new HashSet<>())) {
      missing.add(owner + (member.isEmpty() ? "" : "." + member) + ", used by " + ours);
    }
  }

  /** What is protected counts: only who extends a class refers to it. */
  private static boolean isVisible(int flags, String ours, String owner) {
    return (flags & (ClassFile.ACC_PUBLIC | ClassFile.ACC_PROTECTED)) != 0
        || folder(ours).equals(folder(owner));
  }

  private static String folder(String name) {
    return name.substring(0, name.lastIndexOf('/') + 1);
  }

  /** Whether the library is missing as a whole; of a broken one each missing class counts. */
  private boolean isOptional(String ours, String used) {
    return OPTIONAL.entrySet().stream()
        .anyMatch(
            each ->
                ours.matches(each.getKey() + "([$].*)?")
                    && used.startsWith(each.getValue())
                    && jars.stream()
                        .noneMatch(
                            jar ->
                                jar.stream()
                                    .anyMatch(in -> in.getName().startsWith(each.getValue()))));
  }

  private boolean has(ClassModel type, String member, String ours, Set<String> seen) {
    var owner = type.thisClass().asInternalName();
    if (!seen.add(owner)) {
      return false;
    }
    for (var method : type.methods()) {
      var named = method.methodName().stringValue();
      if ((named + " " + method.methodType().stringValue()).equals(member)
              && isVisible(method.flags().flagsMask(), ours, owner)
          // invokeExact and its like have each signature
          || named.startsWith("invoke")
              && member.startsWith(named + " ")
              && owner.equals("java/lang/invoke/MethodHandle")) {
        return true;
      }
    }
    for (var field : type.fields()) {
      if ((field.fieldName().stringValue() + " " + field.fieldType().stringValue()).equals(member)
          && isVisible(field.flags().flagsMask(), ours, owner)) {
        return true;
      }
    }
    var above = new ArrayList<>(type.interfaces());
    type.superclass().ifPresent(above::add);
    for (var each : above) {
      var model = model(each.asInternalName());
      if (model != null && has(model, member, ours, seen)) {
        return true;
      }
    }
    return false;
  }

  private ClassModel model(String name) {
    if (!models.containsKey(name)) {
      try {
        models.put(name, read(name + ".class"));
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return models.get(name);
  }

  private ClassModel read(String file) throws IOException {
    for (var jar : jars) {
      var entry = jar.getEntry(file);
      if (entry != null) {
        return ClassFile.of().parse(jar.getInputStream(entry).readAllBytes());
      }
    }
    try (InputStream ofJdk = ClassLoader.getPlatformClassLoader().getResourceAsStream(file)) {
      return ofJdk == null ? null : ClassFile.of().parse(ofJdk.readAllBytes());
    }
  }
}
