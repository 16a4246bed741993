package dev.hapax.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Message;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.StartRunRequest;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonMessagesTest {
  private static Message parse(String json, Message prototype, boolean strict) throws Exception {
    return JsonMessages.parse(json.getBytes(StandardCharsets.UTF_8), prototype, strict);
  }

  private static BeginOperationRequest begin(String json) throws Exception {
    return (BeginOperationRequest) parse(json, BeginOperationRequest.getDefaultInstance(), false);
  }

  private static String refused(byte[] json, Message prototype, boolean strict) {
    var refusal =
        catchThrowableOfType(
            RefusedRequestException.class, () -> JsonMessages.parse(json, prototype, strict));
    assertThat(refusal).isNotNull();
    assertThat(refusal.answer().status()).isEqualTo(400);
    return refusal.answer().body().toStringUtf8();
  }

  private static String refused(String json) {
    return refused(
        json.getBytes(StandardCharsets.UTF_8), StartRunRequest.getDefaultInstance(), false);
  }

  @Test
  @DisplayName("given JSON, then fields have their names of JSON or of the proto")
  void names() throws Exception {
    assertThat(begin("{\"requestId\": \"r\", \"attempt_id\": \"a\", \"lease\": \"1.5s\"}"))
        .isEqualTo(
            BeginOperationRequest.newBuilder()
                .setRequestId("r")
                .setAttemptId("a")
                .setLease(
                    com.google.protobuf.Duration.newBuilder().setSeconds(1).setNanos(500_000_000))
                .build());
  }

  @Test
  @DisplayName("given a number of 64 bits, then its JSON is a text, and both forms are read")
  void longs() throws Exception {
    var claim = Claim.newBuilder().setId("c").setFence(Long.MAX_VALUE).build();
    assertThat(JsonMessages.print(claim))
        .isEqualTo("{\"id\":\"c\",\"fence\":\"9223372036854775807\"}");
    assertThat(parse("{\"fence\": 7}", Claim.getDefaultInstance(), true))
        .isEqualTo(parse("{\"fence\": \"7\"}", Claim.getDefaultInstance(), true));
  }

  @Test
  @DisplayName("given an unknown field, then it is ignored, and a strict request is refused")
  void unknownFields() throws Exception {
    var json = "{\"requestID\": \"typo\"}";
    assertThat(begin(json)).isEqualTo(BeginOperationRequest.getDefaultInstance());
    assertThat(
            refused(
                json.getBytes(StandardCharsets.UTF_8),
                BeginOperationRequest.getDefaultInstance(),
                true))
        .contains("requestID", "hapax.v1.BeginOperationRequest", "UNREADABLE_MESSAGE");
  }

  @ParameterizedTest
  @DisplayName(
      "given a value that an enum does not have, then the error has the field and the values [X4]")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'onKeyMismatch': 'canary'} | on_key_mismatch | ON_KEY_MISMATCH_ERROR, ON_KEY_MISMATCH_RETURN_EXISTING",
        "{'on_key_mismatch': 'RETURN_EXISTING'} | on_key_mismatch | ON_KEY_MISMATCH_ERROR",
        "{'hooks': [{}, {'onConflict': 'SUPERSEDE'}]} | hooks[1].on_conflict | ON_CONFLICT_SUPERSEDE",
        "{'unknown': {'a': [1]}, 'onKeyMismatch': 9999999999} | on_key_mismatch | ON_KEY_MISMATCH_ERROR",
        "{'onKeyMismatch': true} | on_key_mismatch | ON_KEY_MISMATCH_ERROR",
        "{'onKeyMismatch': 1.5} | on_key_mismatch | ON_KEY_MISMATCH_ERROR",
      })
  void unknownEnumValues(String json, String field, String values) {
    var sent = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    for (var strict : List.of(false, true)) {
      assertThat(refused(sent, StartRunRequest.getDefaultInstance(), strict))
          .contains("INVALID_FIELD", "\"field\":\"%s\"".formatted(field))
          .contains(field + " must be one of ", values);
    }
  }

  @ParameterizedTest
  @DisplayName("given a name, a number or null, then the enum has that value")
  @CsvSource({
    "'\"ON_KEY_MISMATCH_ERROR\"', 1",
    "1, 1",
    "'\"2\"', 2",
    "null, 0",
    "99, 99",
  })
  void enums(String json, int number) throws Exception {
    var request =
        (StartRunRequest)
            parse(
                "{\"labels\": {\"onKeyMismatch\": \"no enum\"}, \"onKeyMismatch\": %s}"
                    .formatted(json),
                StartRunRequest.getDefaultInstance(),
                true);
    assertThat(request.getOnKeyMismatchValue()).isEqualTo(number);
  }

  @ParameterizedTest
  @DisplayName("given no JSON of the message, then the request is refused without a trace of Java")
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "[]",
        "7",
        "{} {}",
        "{\"workspace\": 7, \"workspace\": 8}",
        "{\"workspace\": {}}",
        "{'workspace': 'a'}",
        "{workspace: 7}",
        "{} // comment",
        "{\"workspace\": NaN}",
        "{\"labels\": []}",
        "{\"input\": \"text\"}",
        "{\"keyRetention\": \"soon\"}",
        "{\"keyRetention\": \"1e9s\"}",
        "{\"startAt\": \"yesterday\"}",
        "{\"hooks\": {}}"
      })
  void noMessage(String json) {
    assertThat(refused(json)).doesNotContain("Exception", "com.google");
  }

  @ParameterizedTest
  @DisplayName("given a value in the wrong place, then the error does not repeat it")
  @ValueSource(
      strings = {
        "{\"input\": \"secret\"}",
        "{\"labels\": \"secret\"}",
        "{\"hooks\": \"secret\"}",
        "{\"workspace\": {\"a\": \"secret\"}}",
        "{\"startAt\": \"a text that is longer than any time: secret\"}"
      })
  void secrets(String json) {
    assertThat(refused(json)).contains("INVALID_FIELD").doesNotContain("secret");
  }

  @ParameterizedTest
  @DisplayName(
      "given a time that no calendar has or in another form, then the error has field and value"
          + " [public-reports-F3]")
  @ValueSource(
      strings = {
        "2027-02-29T00:00:00Z",
        "2027-04-31T12:00:00Z",
        "2027-00-10T00:00:00Z",
        "2027-01-00T00:00:00Z",
        "2027-01-01T25:00:00Z",
        "2027-01-01T00:00:00+99:99",
        "2027-1-1T0:0:0Z",
        "2027-01-01T00:00:-1Z",
        "2027-01-01T00:00:00",
        "0000-01-01T00:00:00Z"
      })
  void times(String time) {
    assertThat(refused("{\"startAt\": \"%s\"}".formatted(time)))
        .contains("INVALID_FIELD", "\"field\":\"start_at\"")
        .contains("start_at must be a time of RFC 3339", "(was \\\"%s\\\")".formatted(time));
  }

  @ParameterizedTest
  @DisplayName("given a time of the calendar, then it is read")
  @ValueSource(
      strings = {
        "2028-02-29T00:00:00Z",
        "2027-01-01T00:00:00.123456789+05:30",
        "9999-12-31T23:59:59Z"
      })
  void realTimes(String time) throws Exception {
    var json = "{\"startAt\": \"%s\"}".formatted(time);
    var request = (StartRunRequest) parse(json, StartRunRequest.getDefaultInstance(), true);
    assertThat(
            java.time.Instant.ofEpochSecond(
                request.getStartAt().getSeconds(), request.getStartAt().getNanos()))
        .isEqualTo(java.time.OffsetDateTime.parse(time).toInstant());
  }

  @ParameterizedTest
  @DisplayName(
      "given a value that is no text for a text, then the error has field and value"
          + " [public-reports-F6]")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'idempotencyKey': 1} | idempotency_key | (was 1)",
        "{'idempotencyKey': 1.0} | idempotency_key | (was 1.0)",
        "{'idempotencyKey': 1e0} | idempotency_key | (was 1e0)",
        "{'idempotencyKey': true} | idempotency_key | (was true)",
        "{'idempotencyKey': [1]} | idempotency_key | (was a list)",
        "{'idempotencyKey': ['1']} | idempotency_key | (was a list)",
        "{'hooks': [{'token': 42.0}]} | hooks[0].token | (was 42.0)",
        "{'labels': {'a': 1}} | labels[\\\"a\\\"] | (was 1)",
      })
  void texts(String json, String field, String value) {
    assertThat(refused(json.replace('\'', '"')))
        .contains("INVALID_FIELD", "\"field\":\"%s\"".formatted(field), value);
  }

  @ParameterizedTest
  @DisplayName(
      "given JSON of another type, then the error has field, rule and value [public-reports-F7]")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'startAt': '2027-01-01T00:00:00'} | start_at must be a time of RFC 3339",
        "{'keyRetention': 60} | key_retention must be a duration such as",
        "{'keyRetention': '1m'} | key_retention must be a duration such as",
        "{'input': {'json': {'a': 1}}} | input.json must be a text: send JSON as a text (was an object)",
        "{'labels': []} | labels must be an object (was a list)",
        "{'hooks': {}} | hooks must be a list (was an object)",
      })
  void types(String json, String error) {
    assertThat(refused(json.replace('\'', '"'))).contains("INVALID_FIELD", error);
  }

  @ParameterizedTest
  @DisplayName(
      "given no integer of 32 bits, then the error has field and value [public-reports-F7]")
  @ValueSource(strings = {"\"high\"", "9999999999", "1.5", "true", "1e999999999", "\"\""})
  void integers(String number) {
    var json = "{\"steps\": [{\"task\": {\"retry\": {\"maxAttempts\": %s}}}]}".formatted(number);
    assertThat(
            refused(
                json.getBytes(StandardCharsets.UTF_8),
                RegisterDefinitionRequest.getDefaultInstance(),
                false))
        .contains("\"field\":\"steps[0].task.retry.max_attempts\"")
        .contains("must be an integer of 32 bits (was ");
  }

  @Test
  @DisplayName(
      "given bytes that are not UTF-8, or half of a surrogate, then the request is refused")
  void text() {
    assertThat(refused(new byte[] {'{', (byte) 0xff}, StartRunRequest.getDefaultInstance(), false))
        .contains("not UTF-8");
    assertThat(refused("{\"labels\": {\"a\": \"\\ud800\"}}")).contains("unpaired surrogate");
    assertThat(refused("{\"input\": {\"json\": \"\\udc00\"}}")).contains("unpaired surrogate");
  }

  @Test
  @DisplayName("given nesting without end, then the request is refused and the stack is enough")
  void nesting() {
    var depth = 400_000;
    assertThat(refused("{\"a\":".repeat(depth))).contains("nested deeper than 100");
    assertThat(refused("[".repeat(depth) + "]".repeat(depth))).doesNotContain("Exception");
    assertThat(refused("{\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "}x"))
        .doesNotContain("Exception");
  }

  @ParameterizedTest
  @DisplayName("given a number of any size, then it is read or refused at once")
  @Timeout(20)
  @ValueSource(strings = {"1e999999999", "-1e999999999", "1e-999999999", "9e2147483647"})
  void numbers(String number) {
    var claim = "{\"fence\": %s}".formatted(number).getBytes(StandardCharsets.UTF_8);
    assertThat(refused(claim, Claim.getDefaultInstance(), false)).isNotEmpty();
    var quoted = "{\"fence\": \"%s\"}".formatted(number).getBytes(StandardCharsets.UTF_8);
    assertThat(refused(quoted, Claim.getDefaultInstance(), false)).isNotEmpty();
    var steps =
        "{\"steps\": [{\"task\": {\"maxAttempts\": %s}}]}"
            .formatted(number)
            .getBytes(StandardCharsets.UTF_8);
    var prototype = RegisterDefinitionRequest.getDefaultInstance();
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> JsonMessages.parse(steps, prototype, false)))
        .satisfiesAnyOf(
            thrown -> assertThat(thrown).isNull(),
            thrown -> assertThat(thrown).isInstanceOf(RefusedRequestException.class));
  }

  @Test
  @DisplayName("given a number with a million digits, then it is refused within seconds")
  void longNumber() {
    var json = "{\"fence\": %s}".formatted("9".repeat(1_000_000)).getBytes(StandardCharsets.UTF_8);
    // the time of the processor, which a busy machine does not lengthen
    var threads = ManagementFactory.getThreadMXBean();
    var begun = threads.getCurrentThreadCpuTime();
    assertThat(refused(json, Claim.getDefaultInstance(), false)).isNotEmpty();
    assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - begun))
        .isLessThan(Duration.ofSeconds(5));
  }
}
