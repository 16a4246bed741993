package dev.hapax.v1;

import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.rpc.Code;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The API over HTTP as an OpenAPI document, made of the compiled protos and their comments. */
final class OpenApi {
  private static final String JSON = "application/json";
  private static final String STREAM = "application/connect+json";

  private final Map<String, String> comments;
  private final OpenApiSchemas schemas;

  private OpenApi(Map<String, String> comments) {
    this.comments = comments;
    this.schemas = new OpenApiSchemas(comments);
  }

  /** The document as maps, lists and texts. */
  static Map<String, Object> document() {
    var comments =
        Api.elements().stream()
            .collect(
                Collectors.toMap(
                    Api.Element::name, Api.Element::comment, (first, second) -> first));
    return new OpenApi(comments).all();
  }

  private Map<String, Object> all() {
    var services = services();
    var paths = new LinkedHashMap<String, Object>();
    services.stream()
        .flatMap(service -> service.getMethods().stream())
        .filter(method -> !method.isClientStreaming())
        .forEach(method -> paths.put(path(method), operations(method)));
    return object(
        "openapi",
        "3.1.0",
        "info",
        info(),
        "servers",
        List.of(object("url", "http://127.0.0.1:7421", "description", "A server on this machine.")),
        "security",
        List.of(object("bearer", List.of()), object()),
        "tags",
        services.stream().map(this::tag).toList(),
        "paths",
        paths,
        "components",
        components());
  }

  private static Map<String, Object> info() {
    return object(
        "title",
        "Hapax",
        "version",
        "v1",
        "summary",
        "Makes sure that a thing happens once.",
        "description",
        "Every method that a caller can call by HTTP, with the Connect protocol and JSON. Methods"
            + " that stream in both directions are for gRPC alone, and not here.",
        "license",
        object("name", "Apache License 2.0", "identifier", "Apache-2.0"));
  }

  static List<ServiceDescriptor> services() {
    return Stream.of(
            OperationServiceProto.getDescriptor(),
            RunServiceProto.getDescriptor(),
            WorkerServiceProto.getDescriptor(),
            HookServiceProto.getDescriptor(),
            LimitServiceProto.getDescriptor(),
            IntentServiceProto.getDescriptor(),
            DefinitionServiceProto.getDescriptor(),
            LifecycleServiceProto.getDescriptor(),
            EntityServiceProto.getDescriptor(),
            JanitorServiceProto.getDescriptor(),
            MonitoringServiceProto.getDescriptor(),
            IdentityServiceProto.getDescriptor())
        .map(FileDescriptor::getServices)
        .flatMap(List::stream)
        .toList();
  }

  private Map<String, Object> tag(ServiceDescriptor service) {
    return object("name", service.getName(), "description", comment(service.getFullName()));
  }

  private static String path(MethodDescriptor method) {
    return "/%s/%s".formatted(method.getService().getFullName(), method.getName());
  }

  private Map<String, Object> operations(MethodDescriptor method) {
    var type = method.isServerStreaming() ? STREAM : JSON;
    var operations = new LinkedHashMap<String, Object>();
    operations.put("parameters", headers());
    if (reads(method) && !method.isServerStreaming()) {
      var get = operation(method, "_get", type);
      get.put("parameters", query(method));
      operations.put("get", get);
    }
    var post = operation(method, "", type);
    post.put(
        "requestBody", object("required", true, "content", content(type, method.getInputType())));
    operations.put("post", post);
    return operations;
  }

  private static boolean reads(MethodDescriptor method) {
    return method.getOptions().getIdempotencyLevel() == IdempotencyLevel.NO_SIDE_EFFECTS;
  }

  private Map<String, Object> operation(MethodDescriptor method, String suffix, String type) {
    var comment = comment(method.getFullName());
    var operation = new LinkedHashMap<String, Object>();
    operation.put("tags", List.of(method.getService().getName()));
    operation.put("operationId", method.getService().getName() + "_" + method.getName() + suffix);
    operation.put("summary", firstSentence(comment));
    operation.put(
        "description",
        type.equals(STREAM)
            ? comment
                + " Request and answer are streams of envelopes: a byte of flags, the length in four"
                + " bytes, and the JSON."
            : comment);
    operation.put(
        "responses",
        object(
            "200",
            object(
                "description",
                comment(method.getOutputType().getFullName()),
                "content",
                content(type, method.getOutputType())),
            "4XX",
            object("$ref", "#/components/responses/Error"),
            "5XX",
            object("$ref", "#/components/responses/Error")));
    return operation;
  }

  private static String firstSentence(String text) {
    return text.split("(?<=[.?]) ", 2)[0];
  }

  private Map<String, Object> content(String type, Descriptor message) {
    return object(type, object("schema", schemas.reference(message)));
  }

  private List<Object> query(MethodDescriptor method) {
    return List.of(
        object(
            "name",
            "message",
            "in",
            "query",
            "required",
            true,
            "description",
            "The request.",
            "content",
            content(JSON, method.getInputType())),
        object(
            "name",
            "encoding",
            "in",
            "query",
            "required",
            true,
            "description",
            "How the request and the answer are written.",
            "schema",
            object("const", "json")));
  }

  private static List<Object> headers() {
    return Stream.of("Protocol", "Timeout", "Strict")
        .<Object>map(name -> object("$ref", "#/components/parameters/" + name))
        .toList();
  }

  private Map<String, Object> components() {
    return object(
        "securitySchemes",
        object(
            "bearer",
            object(
                "type",
                "http",
                "scheme",
                "bearer",
                "description",
                "An API key or a token. A server without authentication needs none.")),
        "parameters",
        object(
            "Protocol",
            header(
                "Connect-Protocol-Version", "The version of the protocol.", object("const", "1")),
            "Timeout",
            header(
                "Connect-Timeout-Ms",
                "The deadline of the call, in milliseconds.",
                object("type", "integer", "minimum", 0)),
            "Strict",
            header(
                "Hapax-Strict", "Refuses a request with an unknown field.", object("const", "1"))),
        "responses",
        object(
            "Error",
            object(
                "description",
                "The call has failed.",
                "content",
                object(JSON, object("schema", object("$ref", "#/components/schemas/Error"))))),
        "schemas",
        schemasWithError());
  }

  private static Map<String, Object> header(String name, String description, Object schema) {
    return object("name", name, "in", "header", "description", description, "schema", schema);
  }

  private Map<String, Object> schemasWithError() {
    var all = new LinkedHashMap<String, Object>();
    all.put("Error", error());
    all.putAll(schemas.all());
    return all;
  }

  private static Map<String, Object> error() {
    var codes = new ArrayList<String>();
    for (var code : Code.values()) {
      if (code != Code.OK && code != Code.UNRECOGNIZED) {
        // Connect spells one of them as Americans do
        codes.add(code == Code.CANCELLED ? "canceled" : code.name().toLowerCase(Locale.ROOT));
      }
    }
    var text = object("type", "string");
    return object(
        "type",
        "object",
        "description",
        "Why a call has failed. The details say more: the first one has the reason.",
        "required",
        List.of("code"),
        "properties",
        object(
            "code",
            object("type", "string", "enum", codes),
            "message",
            text,
            "details",
            object(
                "type",
                "array",
                "items",
                object(
                    "type",
                    "object",
                    "required",
                    List.of("type", "value"),
                    "properties",
                    object(
                        "type",
                        text,
                        "value",
                        object("type", "string", "contentEncoding", "base64"),
                        "debug",
                        object("type", "object", "description", "The detail as JSON."))))));
  }

  private String comment(String name) {
    var comment = comments.get(name);
    if (comment == null) {
      throw new IllegalStateException(name + " has no comment");
    }
    return comment;
  }

  /** An object with these names and values, in this order. */
  static Map<String, Object> object(Object... namesAndValues) {
    var object = new LinkedHashMap<String, Object>();
    for (var i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }
}
