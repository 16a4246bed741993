package dev.hapax.bootstrap.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.core.importer.Locations;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The rules hold for the code; {@link ArchitectureRulesTest} shows that each can fail. */
final class ArchitectureTest {
  private static final String ROOT = "dev.hapax";

  /** Where the packages of a module that has another name than its package come from. */
  private static final Map<String, String> FOLDERS =
      Map.of(
          "grpc",
          "adapters-grpc",
          "http",
          "adapters-http",
          "console",
          "adapters-console",
          "postgres",
          "adapters-postgres",
          "spring",
          "spring-boot-starter",
          "test",
          "proto",
          "testserver",
          "test-server",
          "v1",
          "proto");

  private static final JavaClasses CODE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importLocations(locations());

  private static Set<Location> locations() {
    var locations = new HashSet<>(Locations.ofPackage(ROOT));
    // its jar names libraries that this class path has already
    locations.add(Location.of(Repository.root().resolve("test-server/target/classes")));
    return locations;
  }

  @TestFactory
  @DisplayName("the house rules")
  Stream<DynamicTest> rules() {
    return new HouseRules(ROOT)
        .all().entrySet().stream()
            .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(CODE)));
  }

  @Test
  @DisplayName("the rules see every module that has code")
  void modules() {
    var seen = CODE.stream().map(JavaClass::getPackageName).toList();
    for (var module : HouseRules.MODULES) {
      var folder = Repository.root().resolve(FOLDERS.getOrDefault(module, module));
      if (module.equals("v1") || Files.exists(folder.resolve("src/main/java"))) {
        assertThat(seen)
            .as(module)
            .anyMatch(name -> (name + ".").startsWith(ROOT + "." + module + "."));
      }
    }
  }
}
