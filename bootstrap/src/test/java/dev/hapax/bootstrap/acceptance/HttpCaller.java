package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.Code;
import com.google.rpc.Status;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WatchRunRequest;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A client that calls by HTTP with JSON, as curl does. */
record HttpCaller(HttpClient client, String target, Optional<String> credential) {
  static final int OK = 200;

  private static final String LISTENS = "HTTP/JSON on ";
  private static final Value NO_TEXT = Value.getDefaultInstance();
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A caller of this server, without a credential. */
  static HttpCaller to(HapaxProcess server, HttpClient client) {
    var line = server.awaitError(each -> each.contains(LISTENS));
    return new HttpCaller(client, line.replaceFirst(".*" + LISTENS, ""), Optional.empty());
  }

  HttpCaller as(ApiKey key) {
    return as(key.text());
  }

  /** The same with an API key or a token. */
  HttpCaller as(String other) {
    return new HttpCaller(client, target, Optional.of(other));
  }

  HttpCaller withoutKey() {
    return new HttpCaller(client, target, Optional.empty());
  }

  /** Calls with the JSON of a request. */
  HttpResponse<String> call(MethodDescriptor<?, ?> method, Message request) {
    return call(method.getFullMethodName(), json(request));
  }

  HttpResponse<String> call(String method, String body) {
    return call(method, body.getBytes(StandardCharsets.UTF_8));
  }

  HttpResponse<String> call(String method, byte[] body) {
    try {
      return start(method, body).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError(method, e);
    }
  }

  CompletableFuture<HttpResponse<String>> start(String method, byte[] body) {
    return client.sendAsync(
        request(method, "application/json", body).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String method, String type, byte[] body) {
    var request =
        HttpRequest.newBuilder(URI.create("http://%s/%s".formatted(target, method)))
            .header("Content-Type", type)
            .POST(BodyPublishers.ofByteArray(body));
    credential.ifPresent(text -> request.header("Authorization", "Bearer " + text));
    return request;
  }

  /** Watches a run; the stream has the envelopes of its messages. */
  DataInputStream watch(WatchRunRequest request) throws IOException, InterruptedException {
    return watch(json(request));
  }

  private DataInputStream watch(String json) throws IOException, InterruptedException {
    var message = json.getBytes(StandardCharsets.UTF_8);
    var envelope =
        ByteBuffer.allocate(1 + Integer.BYTES + message.length)
            .put((byte) 0)
            .putInt(message.length)
            .put(message)
            .array();
    var method = RunServiceGrpc.getWatchRunMethod().getFullMethodName();
    return new DataInputStream(
        client
            .send(
                request(method, "application/connect+json", envelope).build(),
                BodyHandlers.ofInputStream())
            .body());
  }

  /** The code of a watch whose first part is its end; OK if it is an event. */
  io.grpc.Status.Code endOf(WatchRunRequest request) throws IOException, InterruptedException {
    return endOf(json(request)).map(HttpCaller::code).orElse(io.grpc.Status.Code.OK);
  }

  private static io.grpc.Status.Code code(String end) {
    return io.grpc.Status.Code.valueOf(
        error(end)
            .getFieldsOrThrow("error")
            .getStructValue()
            .getFieldsOrThrow("code")
            .getStringValue()
            .toUpperCase(Locale.ROOT));
  }

  /** The end of a watch, if it is its first part; empty = that is an event. */
  Optional<String> endOf(String json) throws IOException, InterruptedException {
    try (var stream = watch(json)) {
      return stream.readUnsignedByte() == 0
          ? Optional.empty()
          : Optional.of(new String(stream.readNBytes(stream.readInt()), StandardCharsets.UTF_8));
    }
  }

  /** Calls, and returns the message of the answer. */
  <A> A send(MethodDescriptor<?, A> method, Message.Builder request) {
    var answer = call(method, request.build());
    if (answer.statusCode() != OK) {
      throw new AssertionError(answer.statusCode() + " " + answer.body());
    }
    return parse(method, answer.body());
  }

  static String json(Message request) {
    try {
      return JsonFormat.printer().print(request);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("unchecked") // the builder of an answer makes answers
  static <A> A parse(MethodDescriptor<?, A> method, String json) {
    var marshaller = (PrototypeMarshaller<A>) method.getResponseMarshaller();
    var answer = ((Message) Objects.requireNonNull(marshaller.getMessagePrototype())).toBuilder();
    try {
      JsonFormat.parser().merge(json, answer);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(json, e);
    }
    return (A) answer.build();
  }

  /** The JSON object of an error. */
  static Struct error(String body) {
    var error = Struct.newBuilder();
    try {
      JsonFormat.parser().merge(body, error);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(body, e);
    }
    return error.build();
  }

  /** The gRPC status that the JSON of an error carries. */
  static Status status(String body) {
    var error = error(body);
    var code =
        switch (error.getFieldsOrThrow("code").getStringValue()) {
          case "canceled" -> Code.CANCELLED;
          case String name -> Code.valueOf(name.toUpperCase(Locale.ROOT));
        };
    var status =
        Status.newBuilder()
            .setCode(code.getNumber())
            .setMessage(error.getFieldsOrDefault("message", NO_TEXT).getStringValue());
    error
        .getFieldsOrDefault("details", NO_TEXT)
        .getListValue()
        .getValuesList()
        .forEach(detail -> status.addDetails(detail(detail.getStructValue())));
    return status.build();
  }

  private static Any detail(Struct detail) {
    var bytes = Base64.getDecoder().decode(detail.getFieldsOrThrow("value").getStringValue());
    return Any.newBuilder()
        .setTypeUrl("type.googleapis.com/" + detail.getFieldsOrThrow("type").getStringValue())
        .setValue(ByteString.copyFrom(bytes))
        .build();
  }
}
