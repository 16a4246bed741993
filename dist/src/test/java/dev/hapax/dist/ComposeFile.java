package dev.hapax.dist;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * The part of the format of Compose that {@code deploy/compose.yaml} uses; the rest is an error.
 */
record ComposeFile(Map<String, ComposeService> services, Map<String, Map<String, String>> volumes) {
  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  record ComposeService(
      String image,
      @Nullable List<String> command,
      Map<String, String> environment,
      @Nullable List<String> ports,
      @Nullable List<String> volumes,
      @Nullable Map<String, Dependency> dependsOn,
      @Nullable Healthcheck healthcheck,
      boolean readOnly,
      @Nullable List<String> tmpfs,
      @Nullable List<String> capDrop,
      @Nullable List<String> securityOpt,
      @Nullable String shmSize,
      @Nullable String stopGracePeriod,
      @Nullable String restart) {}

  record Dependency(String condition) {}

  record Healthcheck(
      List<String> test,
      String interval,
      String timeout,
      int retries,
      @Nullable String startPeriod) {}

  static ComposeFile parse(String yaml) {
    var options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    // Jackson's reader does not merge what `<<` names
    Map<String, Object> file = new Yaml(options).load(yaml);
    file.keySet().removeIf(key -> key.startsWith("x-"));
    return STRICT.convertValue(file, ComposeFile.class);
  }

  ComposeService service(String name) {
    var found = services.get(name);
    if (found == null) {
      throw new AssertionError("no service " + name);
    }
    return found;
  }
}
