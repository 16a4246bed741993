package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A client that calls by HTTP with JSON, as curl does. */
record HttpCaller(HttpClient client, String target, Optional<ApiKey> key) {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  HttpCaller as(ApiKey other) {
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
    key.ifPresent(secret -> request.header("Authorization", "Bearer " + secret.text()));
    return request;
  }

  /** Watches a run; the stream has the envelopes of its messages. */
  DataInputStream watch(WatchRunRequest request) throws IOException, InterruptedException {
    var message = json(request).getBytes(StandardCharsets.UTF_8);
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

  /** Calls, and returns the message of the answer. */
  <A> A send(MethodDescriptor<?, A> method, Message.Builder request) {
    var answer = call(method, request.build());
    if (answer.statusCode() != 200) {
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
}
