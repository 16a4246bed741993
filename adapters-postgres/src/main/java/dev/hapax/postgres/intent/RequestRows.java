package dev.hapax.postgres.intent;

import static dev.hapax.postgres.schema.Tables.INBOX;

import dev.hapax.domain.Fence;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TraceParent;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;

/** Reads what intents ask for from rows of {@code inbox}. */
final class RequestRows {
  private RequestRows() {}

  static PostedIntent intent(Row row) throws SQLException {
    var id = new IntentId(new Workspace(row.text(INBOX.WORKSPACE)), row.uuid(INBOX.ID));
    return new PostedIntent(
        id,
        row.number(INBOX.SEQ),
        IntentRows.posted(row),
        request(id, row),
        row.integer(INBOX.SIZE));
  }

  /** A row that cannot be read must not keep others from being taken. */
  private static IntentRequest request(IntentId id, Row row) throws SQLException {
    try {
      return switch (VerbCode.verb(row.integer(INBOX.VERB))) {
        case START_RUN -> start(id, row);
        case SIGNAL_RUN ->
            new IntentRequest.SignalTo(
                run(id.workspace(), row, INBOX.RUN_ID).orElseThrow(), signal(row).orElseThrow());
        case SIGNAL_HOOK ->
            new IntentRequest.SignalThrough(
                token(id.workspace(), row).orElseThrow(), signal(row).orElseThrow());
        case CANCEL_RUN ->
            new IntentRequest.Cancel(
                run(id.workspace(), row, INBOX.RUN_ID).orElseThrow(),
                Text.name(row.text(INBOX.REASON)));
        case COMPLETE_ACTION ->
            new IntentRequest.CompleteAction(
                new EntityId(id.workspace(), row.text(INBOX.LIFECYCLE), row.text(INBOX.ENTITY)),
                row.number(INBOX.NONCE),
                output(row),
                trace(row));
        case COMPLETE_TASK ->
            new IntentRequest.CompleteTask(
                new TaskClaim(
                    run(id.workspace(), row, INBOX.RUN_ID).orElseThrow(),
                    row.integer(INBOX.STEP),
                    row.number(INBOX.NONCE),
                    new Fence(row.number(INBOX.FENCE))),
                output(row),
                patch(row));
        case COMPLETE_OPERATION ->
            new IntentRequest.CompleteOperation(
                new OperationClaim(
                    new OperationId(id.workspace(), row.uuid(INBOX.OPERATION)),
                    row.number(INBOX.NONCE),
                    new Fence(row.number(INBOX.FENCE))),
                output(row),
                row.optionalText(INBOX.ACCOUNT_AFTER));
      };
    } catch (InvalidValueException e) {
      return new IntentRequest.Malformed(e.rule());
    }
  }

  private static Optional<Payload> output(Row row) throws SQLException {
    return row.optionalText(INBOX.OUTPUT).map(Payload.Json::new);
  }

  private static Optional<Json.Obj> patch(Row row) throws SQLException {
    return row.optionalText(INBOX.STATE_PATCH).map(text -> (Json.Obj) StoredJson.parse(text));
  }

  private static IntentRequest start(IntentId id, Row row) throws SQLException {
    var workspace = id.workspace();
    return new IntentRequest.Start(
        id.run(),
        new DefinitionName(workspace, row.text(INBOX.DEFINITION)),
        row.optionalText(INBOX.VERSION),
        new RunParameters(new Payload.Json(row.text(INBOX.INPUT)), labels(row), trace(row)),
        row.optionalInstant(INBOX.START_AT),
        key(workspace, row),
        signal(row),
        hook(workspace, row));
  }

  /** The span of the session; what is no valid one is ignored, as the W3C says. */
  private static Optional<TraceParent> trace(Row row) throws SQLException {
    return row.optionalText(INBOX.TRACE).filter(TraceParent::isValid).map(TraceParent::new);
  }

  private static Optional<IntentRequest.Start.Key> key(Workspace workspace, Row row)
      throws SQLException {
    var hash = row.optionalUuid(INBOX.KEY);
    if (hash.isEmpty()) {
      return Optional.empty();
    }
    var retention =
        row.optionalNumber(INBOX.KEY_RETENTION)
            .map(Micros::duration)
            .orElse(StartRun.Key.DEFAULT_RETENTION);
    return Optional.of(
        new IntentRequest.Start.Key(
            new RunKeyId(workspace, hash.get()),
            StartRun.Key.requireRetention(retention),
            onMismatch(row)));
  }

  private static OnKeyMismatch onMismatch(Row row) throws SQLException {
    if (row.flag(INBOX.RESTARTS_FAILED)) {
      return OnKeyMismatch.RESTART_FAILED;
    }
    return row.flag(INBOX.ALLOWS_MISMATCH) ? OnKeyMismatch.RETURN_EXISTING : OnKeyMismatch.ERROR;
  }

  private static Optional<Wanted> hook(Workspace workspace, Row row) throws SQLException {
    var token = token(workspace, row);
    if (token.isEmpty()) {
      return Optional.empty();
    }
    var retention =
        row.optionalNumber(INBOX.TOKEN_RETENTION).map(Micros::duration).orElse(Duration.ZERO);
    return Optional.of(new Wanted(token.get(), "", retention, policy(workspace, row)));
  }

  private static ConflictPolicy policy(Workspace workspace, Row row) throws SQLException {
    var policy = row.text(INBOX.ON_CONFLICT);
    return switch (policy) {
      case "reject" -> new ConflictPolicy.Reject();
      case "use_existing" -> new ConflictPolicy.UseExisting();
      case "signal_existing" -> new ConflictPolicy.SignalExisting();
      case "supersede" -> new ConflictPolicy.Supersede(run(workspace, row, INBOX.EXPECTED_OWNER));
      case "queue" ->
          new ConflictPolicy.Queue(
              row.optionalNumber(INBOX.QUEUE_LIMIT)
                  .map(Math::toIntExact)
                  .orElse(ConflictPolicy.Queue.DEFAULT_LIMIT),
              false);
      default -> throw new InvalidValueException("has the unknown on_conflict " + policy);
    };
  }

  private static Optional<HookId> token(Workspace workspace, Row row) throws SQLException {
    return row.optionalUuid(INBOX.TOKEN).map(hash -> new HookId(workspace, hash));
  }

  private static Optional<RunId> run(Workspace workspace, Row row, Field<UUID> field)
      throws SQLException {
    return row.optionalUuid(field).map(uuid -> new RunId(workspace, uuid));
  }

  private static Optional<NewSignal> signal(Row row) throws SQLException {
    var id = row.optionalText(INBOX.SIGNAL_ID);
    if (id.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new NewSignal(
            Text.requiredName(id.get()),
            Text.name(row.text(INBOX.SIGNAL_TYPE)),
            row.optionalText(INBOX.SIGNAL_PAYLOAD).map(Payload.Json::new)));
  }

  private static Map<String, String> labels(Row row) throws SQLException {
    var names = row.texts(INBOX.LABEL_NAMES);
    var values = row.texts(INBOX.LABEL_VALUES);
    var labels = new HashMap<String, String>();
    for (var i = 0; i < names.size(); i++) {
      labels.put(names.get(i), values.get(i));
    }
    return labels;
  }
}
