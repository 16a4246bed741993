package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.Role;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.v1.WatchRunRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.stub.MetadataUtils;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code -Ddocs=write} writes the matrix anew. */
@Tag("A2")
@Tag("long")
class AccessMatrixIT {
  private static final Path GOLDEN = Path.of("src/test/resources/access-matrix.txt");
  private static final String HOME = "home";

  /** Each role is granted here as well, where only what it may not do is called. */
  private static final String DENIED = "where-all-is-denied";

  private static final String FOREIGN = "where-none-is-granted";

  /** The granted workspace, another one, and none, which means {@code default}. */
  private static final List<String> WORKSPACES = List.of(HOME, FOREIGN, "");

  private record Answer(Code code) {
    boolean isDenied() {
      return code == Code.PERMISSION_DENIED;
    }
  }

  /** A way to call; without a key, the call has no credentials. */
  private interface Transport {
    Answer call(Optional<ApiKey> key, MethodDescriptor<?, ?> method, String workspace)
        throws Exception;
  }

  @Test
  @DisplayName("given each role, when it calls each method, then only its permissions count [A2]")
  void matrix() throws Exception {
    try (var database = TestDatabase.create();
        var counter = new QueryCounter(database.url())) {
      Migrations.migrate(database.dataSource());
      var keys = new ApiKeys(database);
      var byRole = new EnumMap<Role, ApiKey>(Role.class);
      for (var role : Role.values()) {
        byRole.put(
            role,
            keys.create(role.toString(), "role=%s workspace=%s,%s".formatted(role, HOME, DENIED)));
      }
      try (var server =
          HapaxProcess.start(
              "serve",
              "--listen=127.0.0.1:0",
              "--http-listen=127.0.0.1:0",
              "--authentication",
              "--database-url=" + counter.url())) {
        var channel = ManagedChannelBuilder.forTarget(server.awaitReady()).usePlaintext().build();
        try (var client = HttpClient.newHttpClient()) {
          var http = HttpCaller.to(server, client);
          var all = ApiMethods.all();
          var offered =
              all.stream().filter(method -> method.getType().clientSendsOneMessage()).toList();
          Transport byGrpc = (key, method, workspace) -> call(channel, key, method, workspace);
          Transport byHttp =
              (key, method, workspace) ->
                  call(key.map(http::as).orElseGet(http::withoutKey), method, workspace);
          var atHome = counter.naming(HOME);
          var foreign = counter.naming(FOREIGN);

          compare(matrix(all, byRole, byGrpc));
          assertThat(matrix(offered, byRole, byHttp)).as("by HTTP").isEqualTo(golden(offered));
          assertThat(atHome).as("messages that name a workspace are found").hasPositiveValue();
          // from here on: the list of workspaces may name it
          var denied = counter.naming(DENIED);
          assertDenied(all, byRole, byGrpc);
          assertDenied(offered, byRole, byHttp);
          assertThat(foreign).as("messages about another workspace").hasValue(0);
          assertThat(denied).as("messages about what a role must not do").hasValue(0);
        } finally {
          channel.shutdownNow();
        }
        assertThat(server.errors()).noneMatch(line -> line.contains(" ERROR "));
      }
    }
  }

  private static void compare(List<String> matrix) throws Exception {
    if ("write".equals(System.getProperty("docs"))) {
      Files.write(GOLDEN, matrix);
    }
    assertThat(matrix).isEqualTo(Files.readAllLines(GOLDEN));
  }

  private static List<String> golden(List<MethodDescriptor<?, ?>> methods) throws Exception {
    var names = methods.stream().map(MethodDescriptor::getFullMethodName).toList();
    return Files.readAllLines(GOLDEN).stream()
        .filter(line -> !line.startsWith("hapax.") || names.contains(line.split(" ", 2)[0]))
        .toList();
  }

  private static List<String> matrix(
      List<MethodDescriptor<?, ?>> methods, Map<Role, ApiKey> byRole, Transport transport)
      throws Exception {
    var lines = new ArrayList<String>();
    lines.add("# + = allowed, - = denied; in the granted workspace, in another one, in none");
    lines.add(
        "%-50s %s"
            .formatted(
                "", String.join(" ", Stream.of(Role.values()).map(Role::toString).toList())));
    for (var method : methods) {
      var line = new StringBuilder("%-50s".formatted(method.getFullMethodName()));
      for (var role : Role.values()) {
        var marks = new StringBuilder();
        for (var workspace : WORKSPACES) {
          var answer = transport.call(Optional.ofNullable(byRole.get(role)), method, workspace);
          marks.append(answer.isDenied() ? '-' : '+');
        }
        line.append(" %-1s".formatted(pad(marks.toString(), role.toString().length())));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  /** Calls what the golden matrix denies to each role, and everything without a valid key. */
  private static void assertDenied(
      List<MethodDescriptor<?, ?>> methods, Map<Role, ApiKey> byRole, Transport transport)
      throws Exception {
    var unknown = ApiKey.create(new SecureRandom()::nextInt);
    for (var method : methods) {
      for (var key : List.of(Optional.<ApiKey>empty(), Optional.of(unknown))) {
        assertThat(transport.call(key, method, FOREIGN).code())
            .as(method.getFullMethodName())
            .isEqualTo(Code.UNAUTHENTICATED);
      }
      var marks = marks(method).iterator();
      for (var role : Role.values()) {
        if (marks.next().startsWith("-")) {
          assertThat(
                  transport.call(Optional.ofNullable(byRole.get(role)), method, DENIED).isDenied())
              .as("%s as %s", method.getFullMethodName(), role)
              .isTrue();
        }
      }
    }
  }

  /** The marks of a method, one for each role. */
  private static List<String> marks(MethodDescriptor<?, ?> method) throws Exception {
    return golden(List.of(method)).stream()
        .filter(line -> line.startsWith("hapax."))
        .map(line -> List.of(line.split(" +")))
        .map(words -> words.subList(1, words.size()))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Calls with a request that has nothing but the workspace; what the handler says is no matter.
   */
  private static Answer call(
      Channel channel, Optional<ApiKey> key, MethodDescriptor<?, ?> method, String workspace)
      throws Exception {
    var headers = key.map(ApiKeys::headers).orElseGet(Metadata::new);
    return send(
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
        method,
        workspace);
  }

  private static Answer call(HttpCaller caller, MethodDescriptor<?, ?> method, String workspace)
      throws Exception {
    var request = request(method, workspace);
    if (request instanceof WatchRunRequest watch) {
      return new Answer(caller.endOf(watch));
    }
    var answer = caller.call(method, (Message) request);
    return new Answer(
        answer.statusCode() == HttpCaller.OK
            ? Code.OK
            : Status.fromCodeValue(HttpCaller.status(answer.body()).getCode()).getCode());
  }

  private static <Q> Answer send(Channel channel, MethodDescriptor<Q, ?> method, String workspace)
      throws Exception {
    var call = channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS));
    var ended = new CompletableFuture<Code>();
    call.start(new Ended<>(ended), new Metadata());
    call.request(10);
    call.sendMessage(request(method, workspace));
    call.halfClose();
    return new Answer(ended.get(30, TimeUnit.SECONDS));
  }

  private static final class Ended<A> extends ClientCall.Listener<A> {
    private final CompletableFuture<Code> code;

    Ended(CompletableFuture<Code> code) {
      this.code = code;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      code.complete(status.getCode());
    }
  }

  @SuppressWarnings("unchecked") // the builder of a request makes requests
  private static <Q> Q request(MethodDescriptor<Q, ?> method, String workspace) {
    var marshaller = (PrototypeMarshaller<Q>) method.getRequestMarshaller();
    var builder = ((Message) Objects.requireNonNull(marshaller.getMessagePrototype())).toBuilder();
    var type = builder.getDescriptorForType();
    var field = type.findFieldByName("workspace");
    if (field != null) {
      builder.setField(field, workspace);
    }
    var open = type.findFieldByName("open");
    if (open != null) {
      var opened = builder.getFieldBuilder(open);
      opened.setField(opened.getDescriptorForType().findFieldByName("workspace"), workspace);
    }
    // at once, not after a long poll
    var wait = type.findFieldByName("wait");
    if (wait != null) {
      builder.setField(wait, Duration.getDefaultInstance());
    }
    return (Q) builder.build();
  }
}
