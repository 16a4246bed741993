package dev.hapax.grpc.security;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.quota.ClientNetwork;
import io.grpc.Status;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A line of the audit log.
 *
 * @param address of the peer, which may be a proxy
 * @param workspaces empty if the call was denied before its request was read
 * @param subject what the call is about, by the path of its field
 * @param requestId of the caller; empty = none
 * @param reason of an error, or why credentials were refused
 * @param calls how many refused calls the line is about; empty = it is about one call of a caller
 */
record AuditLine(
    String principal,
    Optional<String> apiKeyId,
    String address,
    String method,
    List<String> workspaces,
    Map<String, String> subject,
    String requestId,
    Status.Code code,
    Optional<String> reason,
    OptionalLong calls) {

  /** Escapes whatever a log viewer could take for the end of a line, or show in another order. */
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** The line of calls from an address whose credentials were missing or wrong. */
  static AuditLine refused(ClientNetwork from, String method, Reason why, long calls) {
    return new AuditLine(
        "",
        Optional.empty(),
        from.name(),
        method,
        List.of(),
        Map.of(),
        "",
        Status.Code.UNAUTHENTICATED,
        Optional.of(why.name().toLowerCase(Locale.ROOT)),
        OptionalLong.of(calls));
  }

  /** Returns the line as JSON, without a line feed. */
  String json(Instant now) {
    var text = new StringWriter();
    try (var json = JSON.createGenerator(text)) {
      write(json, now);
    } catch (IOException e) {
      throw new UncheckedIOException("a string writer failed", e);
    }
    return text.toString();
  }

  private void write(JsonGenerator json, Instant now) throws IOException {
    json.writeStartObject();
    json.writeStringField("ts", now.toString());
    json.writeStringField("principal", principal);
    json.writeStringField("api_key_id", apiKeyId.orElse(""));
    json.writeStringField("address", address);
    json.writeStringField("method", method);
    json.writeStringField("workspace", GrpcErrors.cut(String.join(",", workspaces)));
    json.writeObjectFieldStart("subject");
    for (var field : subject.entrySet()) {
      json.writeStringField(field.getKey(), GrpcErrors.cut(field.getValue()));
    }
    json.writeEndObject();
    json.writeStringField("request_id", GrpcErrors.cut(requestId));
    json.writeStringField("code", code.name());
    json.writeStringField("reason", reason.orElse(""));
    if (calls.isPresent()) {
      json.writeNumberField("calls", calls.getAsLong());
    }
    json.writeEndObject();
  }
}
