package dev.hapax.v1;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The API as the compiled protos have it: every element with its line of the list and its comment.
 */
final class Api {
  private static final Path DESCRIPTORS = Path.of("target/hapax.protoset");

  private final List<Element> elements = new ArrayList<>();

  private Api() {}

  /**
   * One thing callers depend on.
   *
   * @param line all of it that must not change
   * @param kind message, field, oneof, enum, value, service, rpc, read for an rpc without side
   *     effects, or reserved for a number or name that nothing may take
   * @param name in full
   * @param comment as written above it, without the signs around
   */
  record Element(String line, String kind, String name, String comment) {}

  static List<Element> elements() {
    var api = new Api();
    for (var file : descriptors().getFileList()) {
      // the test server is of the version of its clients
      if (file.getPackage().startsWith("hapax.v1")) {
        api.add(file);
      }
    }
    return api.elements;
  }

  private static FileDescriptorSet descriptors() {
    try {
      return FileDescriptorSet.parseFrom(Files.readAllBytes(DESCRIPTORS));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(FileDescriptorProto file) {
    var scope = new Scope(file, file.getPackage(), List.of());
    for (var i = 0; i < file.getMessageTypeCount(); i++) {
      message(file.getMessageType(i), scope, at(FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, i));
    }
    for (var i = 0; i < file.getEnumTypeCount(); i++) {
      enumeration(file.getEnumType(i), scope, at(FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, i));
    }
    for (var i = 0; i < file.getServiceCount(); i++) {
      service(file.getService(i), scope, at(FileDescriptorProto.SERVICE_FIELD_NUMBER, i));
    }
  }

  private void message(DescriptorProto message, Scope around, List<Integer> place) {
    var scope = around.in(message.getName(), place);
    element("message", scope, "");
    // the compiler makes a oneof of each optional field, behind those that are written
    var optional = message.getFieldList().stream().filter(field -> field.getProto3Optional());
    var written = message.getOneofDeclCount() - optional.count();
    for (var i = 0; i < written; i++) {
      element(
          "oneof",
          scope.in(
              message.getOneofDecl(i).getName(), at(DescriptorProto.ONEOF_DECL_FIELD_NUMBER, i)),
          "");
    }
    for (var i = 0; i < message.getFieldCount(); i++) {
      var field = message.getField(i);
      var oneof =
          field.hasOneofIndex() && !field.getProto3Optional()
              ? message.getOneofDecl(field.getOneofIndex()).getName()
              : "";
      element(
          "field",
          scope.in(field.getName(), at(DescriptorProto.FIELD_FIELD_NUMBER, i)),
          " = "
              + field.getNumber()
              + " "
              + type(field, message)
              + (oneof.isEmpty() ? "" : " in oneof " + oneof));
    }
    var numbers = scope.at(DescriptorProto.RESERVED_RANGE_FIELD_NUMBER);
    message
        .getReservedRangeList()
        .forEach(range -> reserved(numbers, range.getStart(), range.getEnd() - 1));
    var names = scope.at(DescriptorProto.RESERVED_NAME_FIELD_NUMBER);
    message.getReservedNameList().forEach(name -> element("reserved", names, "." + name));
    for (var i = 0; i < message.getNestedTypeCount(); i++) {
      if (!message.getNestedType(i).getOptions().getMapEntry()) {
        message(message.getNestedType(i), scope, at(DescriptorProto.NESTED_TYPE_FIELD_NUMBER, i));
      }
    }
    for (var i = 0; i < message.getEnumTypeCount(); i++) {
      enumeration(message.getEnumType(i), scope, at(DescriptorProto.ENUM_TYPE_FIELD_NUMBER, i));
    }
  }

  /** As it is written: the compiler makes a repeated message of each map. */
  private static String type(FieldDescriptorProto field, DescriptorProto message) {
    var entry =
        message.getNestedTypeList().stream()
            .filter(nested -> nested.getOptions().getMapEntry())
            .filter(nested -> field.getTypeName().endsWith("." + nested.getName()))
            .findFirst();
    if (entry.isPresent()) {
      return entry.get().getFieldList().stream()
          .map(part -> type(part, entry.get()))
          .collect(Collectors.joining(", ", "map<", ">"));
    }
    var label =
        field.getLabel() == FieldDescriptorProto.Label.LABEL_REPEATED
            ? "repeated "
            : field.getProto3Optional() ? "optional " : "";
    return label
        + (field.getTypeName().isEmpty()
            ? field.getType().name().replaceFirst("TYPE_", "").toLowerCase(Locale.ROOT)
            : field.getTypeName().substring(1));
  }

  private void enumeration(EnumDescriptorProto type, Scope around, List<Integer> place) {
    var scope = around.in(type.getName(), place);
    element("enum", scope, "");
    for (var i = 0; i < type.getValueCount(); i++) {
      element(
          "value",
          scope.in(type.getValue(i).getName(), at(EnumDescriptorProto.VALUE_FIELD_NUMBER, i)),
          " = " + type.getValue(i).getNumber());
    }
    var numbers = scope.at(EnumDescriptorProto.RESERVED_RANGE_FIELD_NUMBER);
    type.getReservedRangeList()
        .forEach(range -> reserved(numbers, range.getStart(), range.getEnd()));
    var names = scope.at(EnumDescriptorProto.RESERVED_NAME_FIELD_NUMBER);
    type.getReservedNameList().forEach(name -> element("reserved", names, "." + name));
  }

  /** One element for each number, so that one that is taken does not change the others. */
  private void reserved(Scope scope, int first, int last) {
    IntStream.rangeClosed(first, last)
        .forEach(number -> element("reserved", scope, " = " + number));
  }

  private void service(ServiceDescriptorProto service, Scope around, List<Integer> place) {
    var scope = around.in(service.getName(), place);
    element("service", scope, "");
    for (var i = 0; i < service.getMethodCount(); i++) {
      var rpc = service.getMethod(i);
      var inner = scope.in(rpc.getName(), at(ServiceDescriptorProto.METHOD_FIELD_NUMBER, i));
      element("rpc", inner, signature(rpc));
      if (rpc.getOptions().getIdempotencyLevel() == IdempotencyLevel.NO_SIDE_EFFECTS) {
        element("read", inner, "");
      }
    }
  }

  private static String signature(MethodDescriptorProto rpc) {
    return "(%s%s) returns (%s%s)"
        .formatted(
            rpc.getClientStreaming() ? "stream " : "",
            rpc.getInputType().substring(1),
            rpc.getServerStreaming() ? "stream " : "",
            rpc.getOutputType().substring(1));
  }

  private void element(String kind, Scope scope, String rest) {
    elements.add(new Element(kind + " " + scope.name + rest, kind, scope.name, scope.comment()));
  }

  private static List<Integer> at(int field, int index) {
    return List.of(field, index);
  }

  /** A place in a file: its name and the path by which the compiler keeps its comment. */
  private record Scope(FileDescriptorProto file, String name, List<Integer> path) {
    Scope in(String inner, List<Integer> place) {
      var path = new ArrayList<>(this.path);
      path.addAll(place);
      return new Scope(file, name + "." + inner, path);
    }

    /** A statement in this place that names nothing. */
    Scope at(int field) {
      var path = new ArrayList<>(this.path);
      path.add(field);
      return new Scope(file, name, path);
    }

    String comment() {
      var found = new StringBuilder();
      Consumer<Location> take = location -> found.append(location.getLeadingComments());
      file.getSourceCodeInfo().getLocationList().stream()
          .filter(location -> location.getPathList().equals(path))
          .findFirst()
          .ifPresent(take);
      return found.toString().replaceAll("\\s+", " ").strip();
    }
  }
}
