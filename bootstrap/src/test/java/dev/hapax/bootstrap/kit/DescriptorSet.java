package dev.hapax.bootstrap.kit;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.ExtensionRegistry;
import com.google.rpc.ErrorDetailsProto;
import com.google.rpc.StatusProto;
import dev.hapax.test.v1.TestServerProto;
import dev.hapax.v1.RulesProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The API and the test server as kits without generated code need them: all files, each after those
 * that it imports.
 */
final class DescriptorSet {
  private static final Path PROTOS = Path.of("..", "proto", "src", "main", "proto", "hapax", "v1");

  /** Reads the options of our protos. */
  static final ExtensionRegistry OPTIONS = ExtensionRegistry.newInstance();

  static {
    RulesProto.registerAllExtensions(OPTIONS);
  }

  private DescriptorSet() {}

  static FileDescriptorSet ofApi() throws IOException {
    Set<FileDescriptor> files = new LinkedHashSet<>();
    try (var protos = Files.list(PROTOS)) {
      var names = protos.map(proto -> proto.getFileName().toString()).sorted().toList();
      names.forEach(name -> add(file(name), files));
    }
    List.of(
            TestServerProto.getDescriptor(),
            StatusProto.getDescriptor(),
            ErrorDetailsProto.getDescriptor())
        .forEach(file -> add(file, files));
    return FileDescriptorSet.newBuilder()
        .addAllFile(files.stream().map(FileDescriptor::toProto).toList())
        .build();
  }

  /** The descriptor of a file, from the class that its {@code java_outer_classname} names. */
  private static FileDescriptor file(String name) {
    var words = name.replace(".proto", "_proto").split("_", -1);
    var type =
        Stream.of(words)
            .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
            .collect(Collectors.joining());
    try {
      return (FileDescriptor)
          Class.forName("dev.hapax.v1." + type).getMethod("getDescriptor").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  private static void add(FileDescriptor file, Set<FileDescriptor> files) {
    file.getDependencies().forEach(each -> add(each, files));
    files.add(file);
  }
}
