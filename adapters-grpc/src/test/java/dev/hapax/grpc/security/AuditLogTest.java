package dev.hapax.grpc.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.hapax.application.security.Authenticator;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.domain.security.Credentials;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.grpc.call.ApiMethods;
import dev.hapax.grpc.trace.TraceHeader;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

class AuditLogTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final String HOSTILE =
      "a\"b\n{\"principal\":\"root\"}\r\u2028\u2029\u0085\0\\\u202e";
  private static final CancelRunRequest CANCEL =
      CancelRunRequest.newBuilder()
          .setWorkspace("home")
          .setRunId("run-1")
          .setActor("olga")
          .setReason("no longer needed")
          .build();

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final BlockingQueue<Map<String, String>> traces = new LinkedBlockingQueue<>();
  private final AuditLog audit = new AuditLog(() -> NOW);
  private final Logger logger = (Logger) LoggerFactory.getLogger("hapax.audit");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
          traces.add(event.getMDCPropertyMap());
        }
      };

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(appender);
  }

  /** Cancels a run at once, unless its id is "never". */
  private static final class CancelledRuns implements RunServiceGrpc.AsyncService, BindableService {
    final CompletableFuture<Void> received = new CompletableFuture<>();

    @Override
    public ServerServiceDefinition bindService() {
      return RunServiceGrpc.bindService(this);
    }

    @Override
    public void cancelRun(CancelRunRequest request, StreamObserver<CancelRunResponse> caller) {
      received.complete(null);
      if (!request.getRunId().equals("never")) {
        caller.onNext(CancelRunResponse.getDefaultInstance());
        caller.onCompleted();
      }
    }

    @Override
    public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> caller) {
      caller.onNext(GetRunResponse.getDefaultInstance());
      caller.onCompleted();
    }
  }

  /** Authenticates every caller as one principal. */
  private record OnePrincipal(Principal principal) implements Authenticator {
    @Override
    public Recognition recognize(Credentials credentials) {
      return new Recognition.Known(new Authenticated(principal, Optional.of("Ab3"), Instant.MAX));
    }

    @Override
    public boolean isLive(Authenticated caller) {
      return true;
    }
  }

  private ServerInterceptor as(String grant) {
    var authenticator =
        new OnePrincipal(
            new Principal(Principal.Kind.API_KEY, "billing", List.of(RoleGrant.parse(grant))));
    return new CallAuthentication(
        authenticator, new OpenCalls(authenticator), audit, System::nanoTime);
  }

  /** What a client does with a server. */
  private interface Calls {
    void make(RunServiceGrpc.RunServiceBlockingStub runs) throws Exception;
  }

  private static void serve(ServerInterceptor access, CancelledRuns service, Calls calls)
      throws Exception {
    var name = InProcessServerBuilder.generateName();
    var server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .intercept(access)
            .intercept(TraceHeader.INSTANCE)
            .addService(service)
            .build()
            .start();
    ManagedChannel channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    try {
      calls.make(RunServiceGrpc.newBlockingStub(channel));
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }

  private String line() throws InterruptedException {
    return Objects.requireNonNull(lines.poll(10, TimeUnit.SECONDS), "no line of the audit log");
  }

  @Test
  @DisplayName("given a call that operates, then its line names caller, subject and outcome")
  void operates() throws Exception {
    serve(as("role=operator workspace=home"), new CancelledRuns(), runs -> runs.cancelRun(CANCEL));

    assertThat(line().replaceAll("\"address\":\"[^\"]*\"", "\"address\":\"\""))
        .isEqualTo(
            "{\"ts\":\"2026-11-22T12:00:00Z\",\"principal\":\"api-key:billing\","
                + "\"api_key_id\":\"Ab3\",\"address\":\"\","
                + "\"method\":\"hapax.v1.RunService/CancelRun\",\"workspace\":\"home\","
                + "\"subject\":{\"run_id\":\"run-1\"},\"request_id\":\"\","
                + "\"code\":\"OK\",\"reason\":\"\"}");
    assertThat(lines).isEmpty();
  }

  @Test
  @DisplayName("given a call that only observes, then it has no line")
  void observes() throws Exception {
    serve(
        as("role=operator workspace=*"),
        new CancelledRuns(),
        runs -> runs.getRun(GetRunRequest.getDefaultInstance()));

    assertThat(lines).isEmpty();
  }

  @Test
  @DisplayName("given a caller without the role, then its line names what it asked for")
  void deniedByRole() throws Exception {
    serve(
        as("role=viewer workspace=*"),
        new CancelledRuns(),
        runs ->
            assertThatThrownBy(() -> runs.cancelRun(CANCEL))
                .isInstanceOf(StatusRuntimeException.class));

    assertThat(values(line()))
        .containsEntry("code", "PERMISSION_DENIED")
        .containsEntry("reason", "PERMISSION_DENIED")
        .containsEntry("workspace", "home")
        .containsEntry("run_id", "run-1");
  }

  @Test
  @DisplayName("given a caller of another workspace, then its line names what it asked for")
  void deniedByWorkspace() throws Exception {
    serve(
        as("role=operator workspace=other"),
        new CancelledRuns(),
        runs ->
            assertThatThrownBy(() -> runs.cancelRun(CANCEL))
                .isInstanceOf(StatusRuntimeException.class));

    assertThat(values(line()))
        .containsEntry("code", "PERMISSION_DENIED")
        .containsEntry("workspace", "home")
        .containsEntry("run_id", "run-1");
    assertThat(lines).isEmpty();
  }

  @Test
  @DisplayName("given hostile names, then they stay in one line of JSON")
  void hostile() throws Exception {
    serve(
        audit,
        new CancelledRuns(),
        runs ->
            runs.cancelRun(
                CANCEL.toBuilder()
                    .setRunId(HOSTILE)
                    .setWorkspace(HOSTILE + "x".repeat(5_000))
                    .build()));

    var line = line();
    assertThat(line).matches("[ -~]*").hasSizeLessThan(3_000);
    assertThat(values(line)).containsEntry("run_id", HOSTILE).containsEntry("principal", "local");
  }

  @Test
  @DisplayName("given a call that its caller cancels, then its line says so")
  void cancelled() throws Exception {
    var service = new CancelledRuns();
    serve(
        audit,
        service,
        runs -> {
          var call =
              ClientCalls.futureUnaryCall(
                  runs.getChannel()
                      .newCall(RunServiceGrpc.getCancelRunMethod(), runs.getCallOptions()),
                  CANCEL.toBuilder().setRunId("never").build());
          service.received.get(10, TimeUnit.SECONDS);
          call.cancel(true);
          assertThat(values(line())).containsEntry("code", "CANCELLED");
        });

    assertThat(lines).isEmpty();
  }

  static Stream<MethodDescriptor<?, ?>> audited() {
    return ApiMethods.all()
        .filter(method -> MethodRules.of(method).filter(AuditLog::isAudited).isPresent());
  }

  @ParameterizedTest
  @MethodSource("audited")
  @DisplayName("given any audited request, then its line has a subject, and nothing but names")
  void subjects(MethodDescriptor<?, ?> method) throws Exception {
    var request = filled(ApiMethods.message(method.getRequestMarshaller()));
    var answer = filled(ApiMethods.message(method.getResponseMarshaller()));
    var subject = new HashMap<>(AuditSubject.of(request));
    subject.putAll(AuditSubject.of(answer));

    assertThat(subject).isNotEmpty();
    var shown = new ArrayList<String>();
    var found = Pattern.compile("marker-([a-z_]+)").matcher(subject.toString());
    while (found.find()) {
      shown.add(found.group(1));
    }
    assertThat(
            List.of(
                "run_id",
                "step_name",
                "part",
                "account",
                "operation",
                "request_id",
                "lifecycle",
                "entity_id",
                "name",
                "version",
                "module"))
        .containsAll(shown);
  }

  /** Fills each text with the name of its field. */
  private static Message filled(Message message) {
    var builder = message.toBuilder();
    for (var field : message.getDescriptorForType().getFields()) {
      switch (field.getJavaType()) {
        case STRING -> fill(builder, field, "marker-" + field.getName());
        case BYTE_STRING ->
            fill(builder, field, ByteString.copyFromUtf8("marker-" + field.getName()));
        case MESSAGE -> {
          if (field.getMessageType().getFullName().startsWith("hapax.v1.")) {
            fill(builder, field, filled(builder.newBuilderForField(field).build()));
          }
        }
        case INT, LONG, FLOAT, DOUBLE, BOOLEAN, ENUM -> {}
      }
    }
    return builder.build();
  }

  private static void fill(Message.Builder to, FieldDescriptor field, Object value) {
    if (field.isRepeated()) {
      to.addRepeatedField(field, value);
    } else {
      to.setField(field, value);
    }
  }

  /** The texts of a line, also those of its subject. */
  private static Map<String, String> values(String line) throws IOException {
    var values = new HashMap<String, String>();
    try (var json = new JsonFactory().createParser(line)) {
      for (var token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.VALUE_STRING) {
          values.put(json.currentName(), json.getText());
        }
      }
    }
    return values;
  }

  @Test
  @DisplayName("given a call with a span, then its line has the trace and the span of the caller")
  void traced() throws Exception {
    var headers = new Metadata();
    headers.put(
        Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER),
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    serve(
        as("role=operator workspace=home"),
        new CancelledRuns(),
        runs -> {
          runs.cancelRun(CANCEL);
          runs.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
              .cancelRun(CANCEL);
        });

    line();
    line();
    assertThat(traces)
        .containsExactly(
            Map.of(),
            Map.of("trace_id", "0af7651916cd43dd8448eb211c80319c", "span_id", "b7ad6b7169203331"));
  }

  @Test
  @DisplayName("given callers without valid credentials, then an address has one line a minute")
  void unauthenticated() throws Exception {
    var now = new AtomicLong();
    var refusing = new RefusingAuthenticator();
    var access = new CallAuthentication(refusing, new OpenCalls(refusing), audit, now::get);
    var headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer hpx_secret");
    serve(
        access,
        new CancelledRuns(),
        runs -> {
          var wrong = runs.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
          for (var i = 0; i < 5; i++) {
            assertThatThrownBy(() -> wrong.cancelRun(CANCEL)).hasMessageContaining("API key");
          }
          now.addAndGet(TimeUnit.MINUTES.toNanos(1));
          assertThatThrownBy(() -> wrong.getRun(GetRunRequest.getDefaultInstance()))
              .hasMessageContaining("API key");
        });

    assertThat(line())
        .isEqualTo(
            "{\"ts\":\"2026-11-22T12:00:00Z\",\"principal\":\"\",\"api_key_id\":\"\",\"address\":\"local\","
                + "\"method\":\"hapax.v1.RunService/CancelRun\",\"workspace\":\"\",\"subject\":{},"
                + "\"request_id\":\"\",\"code\":\"UNAUTHENTICATED\",\"reason\":\"api_key\",\"calls\":1}");
    assertThat(line()).contains("RunService/GetRun", "\"calls\":5}").doesNotContain("secret");
    assertThat(lines).isEmpty();
  }

  @Test
  @DisplayName("given refused callers of very many addresses, then the last ones share lines")
  void addresses() {
    var found = new ArrayList<AuditLine>();
    var now = new AtomicLong();
    var refused = new RefusedCallerAudit(found::add, now::get);
    for (var round = 0; round < 2; round++) {
      for (var i = 0; i < RefusedCallerAudit.MAX_ADDRESSES + 50; i++) {
        var from =
            new InetSocketAddress(String.format(Locale.ROOT, "10.0.%d.%d", i / 250, i % 250), 1);
        refused.add(Optional.of(from), RunServiceGrpc.getGetRunMethod(), Reason.MISSING);
      }
      assertThat(found).hasSize((round + 1) * (RefusedCallerAudit.MAX_ADDRESSES + 1));
      assertThat(found.getLast().address()).isEqualTo("other addresses");
      now.addAndGet(TimeUnit.MINUTES.toNanos(1));
    }
    assertThat(found.getLast().calls()).hasValue(50);
  }

  /** Accepts no credentials. */
  private static final class RefusingAuthenticator implements Authenticator {
    @Override
    public Recognition recognize(Credentials credentials) {
      return new Recognition.Known(new Refused(Reason.API_KEY));
    }

    @Override
    public boolean isLive(Authenticated caller) {
      return false;
    }
  }
}
