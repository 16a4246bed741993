package dev.hapax.v1;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a client generates if it needs one file: that file, and all that it imports. */
class ApiFilesTest {
  private static final String FOLDER = "hapax/v1/";
  private static final String SERVICE = "_service.proto";

  private static Stream<FileDescriptor> files() {
    return OpenApi.services().stream()
        .map(ServiceDescriptor::getFile)
        .flatMap(ApiFilesTest::withImports)
        .distinct();
  }

  private static Stream<FileDescriptor> withImports(FileDescriptor file) {
    return Stream.concat(
        Stream.of(file), file.getDependencies().stream().flatMap(ApiFilesTest::withImports));
  }

  @Test
  @DisplayName("given the files of the API, then no file imports the file of a service")
  void services() {
    assertThat(files().map(FileDescriptor::getName)).contains(FOLDER + "intent.proto");
    assertThat(
            files()
                .flatMap(file -> file.getDependencies().stream())
                .map(FileDescriptor::getName)
                .filter(name -> name.endsWith(SERVICE)))
        .isEmpty();
  }

  @Test
  @DisplayName("given a client of runs, then it generates neither entities nor intents")
  void runs() {
    var imported =
        withImports(RunServiceProto.getDescriptor())
            .map(FileDescriptor::getName)
            .filter(name -> name.startsWith(FOLDER))
            .map(name -> name.substring(FOLDER.length()))
            .distinct()
            .toList();
    assertThat(imported)
        .containsExactlyInAnyOrder(
            "run_service.proto",
            "run.proto",
            "hook.proto",
            "claim.proto",
            "operation.proto",
            "common.proto",
            "error.proto",
            "error_reason.proto",
            "rules.proto");
  }
}
