package dev.hapax.outbox;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decodes the current row of a query of {@link OutboxTable}. */
final class OutboxRow {

  private final ResultSet row;
  private final String workspace;

  OutboxRow(ResultSet row, String workspace) {
    this.row = row;
    this.workspace = workspace;
  }

  OutboxIntent intent() throws SQLException {
    return new OutboxIntent(
        row.getLong("seq"), text("ticket"), row.getInt("tries"), lanes(), call());
  }

  private Set<String> lanes() throws SQLException {
    Set<String> lanes = new HashSet<>();
    for (String column : new String[] {"run_id", "expected_owner"}) {
      if (row.getString(column) != null) {
        lanes.add("run/" + row.getString(column));
      }
    }
    for (String column : new String[] {"token", "idempotency_key"}) {
      if (row.getString(column) != null) {
        lanes.add(column + '/' + row.getString(column));
      }
    }
    return lanes;
  }

  private OutboxCall<?, ?> call() throws SQLException {
    String verb = text("verb");
    return switch (verb) {
      case "start_run" -> new OutboxCall<>(start(), StartRunResponse.getDefaultInstance());
      case "signal_run" ->
          new OutboxCall<>(
              SignalRunRequest.newBuilder()
                  .setWorkspace(workspace)
                  .setRunId(text("run_id"))
                  .setSignal(signal())
                  .setActor(actor())
                  .build(),
              SignalRunResponse.getDefaultInstance());
      case "signal_hook" ->
          new OutboxCall<>(
              SignalHookRequest.newBuilder()
                  .setWorkspace(workspace)
                  .setToken(text("token"))
                  .setSignal(signal())
                  .setActor(actor())
                  .build(),
              SignalHookResponse.getDefaultInstance());
      case "cancel_run" ->
          new OutboxCall<>(
              CancelRunRequest.newBuilder()
                  .setWorkspace(workspace)
                  .setRunId(text("run_id"))
                  .setReason(text("reason"))
                  .setActor(actor())
                  .build(),
              CancelRunResponse.getDefaultInstance());
      default ->
          throw new IllegalStateException(
              "the outbox has an intent of the kind " + verb + "; use a newer hapax-outbox");
    };
  }

  private StartRunRequest start() throws SQLException {
    StartRunRequest.Builder start =
        StartRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setDefinition(text("definition"))
            .setDefinitionVersion(text("version"))
            .setInput(Payload.newBuilder().setJson(text("input")))
            .setIdempotencyKey(text("idempotency_key"))
            .setOnKeyMismatch(OnKeyMismatch.valueOf("ON_KEY_MISMATCH_" + upper("on_key_mismatch")))
            .setTraceparent(text("traceparent"))
            .setActor(actor());
    com.google.protobuf.@Nullable Duration retention = duration("key_retention");
    if (retention != null) {
      start.setKeyRetention(retention);
    }
    OffsetDateTime startAt = row.getObject("start_at", OffsetDateTime.class);
    if (startAt != null) {
      start.setStartAt(
          Timestamp.newBuilder().setSeconds(startAt.toEpochSecond()).setNanos(startAt.getNano()));
    }
    if (row.getString("token") != null) {
      start.addHooks(hook());
    }
    if (row.getString("signal_id") != null) {
      start.setSignal(signal());
    }
    String[] names = (String[]) row.getArray("label_names").getArray();
    String[] values = (String[]) row.getArray("label_values").getArray();
    for (int i = 0; i < names.length; i++) {
      start.putLabels(names[i], values[i]);
    }
    return start.build();
  }

  private StartRunRequest.Hook.Builder hook() throws SQLException {
    StartRunRequest.Hook.Builder hook =
        StartRunRequest.Hook.newBuilder()
            .setToken(text("token"))
            .setOnConflict(OnConflict.valueOf("ON_CONFLICT_" + upper("on_conflict")))
            .setQueueLimit(row.getInt("queue_limit"))
            .setExpectedOwner(text("expected_owner"));
    com.google.protobuf.@Nullable Duration retention = duration("token_retention");
    return retention == null ? hook : hook.setRetention(retention);
  }

  private NewSignal.Builder signal() throws SQLException {
    NewSignal.Builder signal =
        NewSignal.newBuilder().setSignalId(text("signal_id")).setType(text("signal_type"));
    String payload = row.getString("signal_payload");
    return payload == null ? signal : signal.setPayload(Payload.newBuilder().setJson(payload));
  }

  /** The history names the role, as it does for intents in the database of the server. */
  private String actor() throws SQLException {
    return "sql:" + text("role");
  }

  private String upper(String column) throws SQLException {
    return text(column).toUpperCase(Locale.ROOT);
  }

  /** Null is the empty text, which is the default of each field. */
  private String text(String column) throws SQLException {
    String value = row.getString(column);
    return value == null ? "" : value;
  }

  private com.google.protobuf.@Nullable Duration duration(String column) throws SQLException {
    long micros = row.getLong(column);
    if (row.wasNull()) {
      return null;
    }
    Duration value = Duration.of(micros, ChronoUnit.MICROS);
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(value.getSeconds())
        .setNanos(value.getNano())
        .build();
  }
}
