import java.util.jar.JarFile;

/**
 * Initialises each class of our jars, which verifies its code against the libraries of the class
 * path. The link check alone does not find a type that is no longer a subtype.
 */
final class Initialise {
  private Initialise() {}

  public static void main(String[] args) throws Exception {
    var initialised = 0;
    var failed = 0;
    for (var path : System.getProperty("java.class.path").split(":")) {
      if (!path.matches(".*/hapax-[^/]*[.]jar")) {
        continue;
      }
      try (var jar = new JarFile(path)) {
        for (var entry : jar.stream().filter(each -> each.getName().endsWith(".class")).toList()) {
          var name = entry.getName().replace('/', '.').replaceAll("[.]class$", "");
          if (name.equals("module-info")) {
            continue;
          }
          try {
            Class.forName(name);
            initialised++;
          } catch (LinkageError broken) {
            if (!isOptional(broken)) {
              failed++;
              System.out.println(name + ": " + broken);
            }
          }
        }
      }
    }
    System.out.println("initialised " + initialised + " classes, " + failed + " failed");
    if (initialised == 0 || failed > 0) {
      System.exit(1);
    }
  }

  /** The libraries that only some classes need, if they are missing as a whole. */
  private static boolean isOptional(LinkageError broken) {
    var text = broken.toString();
    return text.contains("io/opentelemetry/") && isMissing("io.opentelemetry.context.Context")
        || text.contains("com/fasterxml/jackson/")
            && isMissing("com.fasterxml.jackson.databind.ObjectMapper")
        || text.contains("tools/jackson/") && isMissing("tools.jackson.databind.ObjectMapper")
        || text.contains("boot/actuate/health/")
            && isMissing("org.springframework.boot.actuate.health.HealthIndicator")
        || text.contains("boot/health/")
            && isMissing("org.springframework.boot.health.contributor.HealthIndicator")
        || text.contains("io/grpc/protobuf/") && isMissing("io.grpc.protobuf.ProtoUtils");
  }

  private static boolean isMissing(String name) {
    try {
      Class.forName(name, false, Initialise.class.getClassLoader());
      return false;
    } catch (ClassNotFoundException missing) {
      return true;
    }
  }
}
