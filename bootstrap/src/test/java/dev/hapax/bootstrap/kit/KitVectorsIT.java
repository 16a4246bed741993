package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.grpc.call.CanonicalJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each kit computes for the vectors of the contract. */
class KitVectorsIT {
  private static final Path VECTORS = Kit.FOLDER.resolve("contract/vectors");

  /** Pauses are random. */
  private static final int SAMPLES = 50;

  @TempDir private Path folder = Path.of("");

  private static List<Path> files() throws IOException {
    try (var files = Files.list(VECTORS)) {
      return files.sorted().toList();
    }
  }

  private static List<Struct> vectors(Path file) throws IOException {
    return KitJson.parse(Files.readString(file))
        .getFieldsOrThrow("vectors")
        .getListValue()
        .getValuesList()
        .stream()
        .map(Value::getStructValue)
        .toList();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given the vectors, then each kit computes their values")
  void computes(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, Deployment.shared(), folder);
        var program = scene.program()) {
      for (var file : files()) {
        var vectors = vectors(file);
        assertThat(vectors).hasSizeGreaterThan(10);
        var values = values(program, file);
        assertThat(values).hasSameSizeAs(vectors);
        for (var i = 0; i < vectors.size(); i++) {
          assertValue(vectors.get(i), values.get(i));
        }
      }
    }
  }

  private static List<Value> values(KitProgram program, Path file) {
    return program.ask("vectors", "\"file\": \"" + file + "\"").getListValue().getValuesList();
  }

  private static void assertValue(Struct vector, Value value) {
    for (var expected : List.of("fingerprint", "valid", "kind")) {
      if (vector.containsFields(expected)) {
        assertThat(value).as("%s", vector).isEqualTo(vector.getFieldsOrThrow(expected));
        return;
      }
    }
    var least = vector.getFieldsOrThrow("least_ms");
    if (least.hasNullValue()) {
      assertThat(value.hasNullValue()).as("%s", vector).isTrue();
    } else {
      assertThat(value.getNumberValue())
          .as("%s", vector)
          .isBetween(least.getNumberValue(), vector.getFieldsOrThrow("most_ms").getNumberValue());
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given many pauses, then they are random, and within their bounds")
  void jitters(Kit kit) throws IOException {
    var file = VECTORS.resolve("retries.json");
    var first = vectors(file).getFirst();
    try (var scene = new KitScene(kit, Deployment.shared(), folder);
        var program = scene.program()) {
      var pauses = new ArrayList<Double>();
      for (var i = 0; i < SAMPLES; i++) {
        var value = values(program, file).getFirst();
        assertValue(first, value);
        pauses.add(value.getNumberValue());
      }
      assertThat(pauses).doesNotHaveDuplicates();
    }
  }

  @Test
  @DisplayName(
      "given the JSON of a fingerprint, then the server also takes it for its canonical text")
  void agreesWithTheServer() throws IOException {
    var canonical =
        vectors(VECTORS.resolve("fingerprints.json")).stream()
            .filter(vector -> vector.containsFields("canonical"))
            .toList();
    assertThat(canonical)
        .hasSizeGreaterThan(20)
        .allSatisfy(
            vector ->
                assertThat(CanonicalJson.of(KitJson.text(vector, "json")))
                    .isEqualTo(CanonicalJson.of(KitJson.text(vector, "canonical"))));
  }
}
