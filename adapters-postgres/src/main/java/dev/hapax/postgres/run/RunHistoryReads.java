package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;
import static dev.hapax.postgres.schema.Tables.RUN_EVENT;

import dev.hapax.domain.Page;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Reads the events of one run by their key. */
public final class RunHistoryReads {
  /** The columns of the first event, which are those of the run. */
  private static final List<Field<?>> ORIGIN =
      List.of(
          RUN.CREATED_AT,
          RUN.NOT_BEFORE,
          RUN.REMEMBERED_UNTIL,
          RUN.LABELS,
          RUN.TRACE,
          RUN.TIMEOUT,
          RUN.START_TIMEOUT,
          RUN.INPUT_JSON,
          RUN.INPUT_BYTES);

  private static final String EVENTS = RenderedSql.text(events());

  private static final String ENDED_BY =
      RenderedSql.text(
          DSL.selectFrom(RUN_EVENT)
              .where(
                  isOfRun(),
                  RUN_EVENT.NONCE.eq((Long) null),
                  RUN_EVENT.STEP.eq((Integer) null),
                  EventType.isOneOf(
                      EventType.STEP_COMPLETED,
                      EventType.STEP_FAILED,
                      EventType.STEP_SUSPENDED,
                      EventType.RETRY_SCHEDULED,
                      EventType.LEASE_GIVEN_BACK))
              .orderBy(RUN_EVENT.VERSION)
              .limit(DSL.inline(1)));

  private static final String REOPENED =
      RenderedSql.text(
          DSL.select(DSL.one())
              .from(RUN_EVENT)
              .where(
                  isOfRun(),
                  RUN_EVENT.NAME.eq((String) null),
                  EventType.isOneOf(EventType.RETRIED, EventType.STEP_SETTLED))
              .limit(DSL.inline(1)));

  private static final String TOKENS =
      RenderedSql.text(
          DSL.selectFrom(RUN_EVENT)
              .where(isOfRun(), EventType.isOneOf(EventType.HOOK_CREATED, EventType.HOOK_DISPOSED))
              .orderBy(RUN_EVENT.VERSION));

  private final ReadSession session;
  private final RunId id;

  public RunHistoryReads(ReadSession session, RunId id) {
    this.session = session;
    this.id = id;
  }

  private static Condition isOfRun() {
    return RUN_EVENT.WORKSPACE.eq((String) null).and(RUN_EVENT.RUN_ID.eq((UUID) null));
  }

  /**
   * Whether a row has an event behind a version: the row of the last known event may have the next
   * one, too.
   */
  private static Condition hasLater() {
    return RUN_EVENT.VERSION.gt((Long) null).or(RUN_EVENT.THEN_TYPE.isNotNull());
  }

  private static Select<?> events() {
    var event =
        DSL.selectFrom(RUN_EVENT)
            .where(isOfRun(), RUN_EVENT.VERSION.ge((Long) null), hasLater())
            .orderBy(RUN_EVENT.VERSION)
            .limit(DSL.val(0))
            .asTable("e");
    var origin =
        DSL.select(ORIGIN)
            .from(RUN)
            .where(
                RUN.WORKSPACE.eq(event.field(RUN_EVENT.WORKSPACE)),
                RUN.ID.eq(event.field(RUN_EVENT.RUN_ID)),
                DSL.condition(
                    "{0} = {1}", event.field(RUN_EVENT.TYPE), DSL.inline(EventType.CREATED.code())))
            .limit(DSL.inline(1))
            .asTable("o");
    return SizeBoundedSelect.of(
        DSL.select(event.fields())
            .select(origin.fields())
            .from(event)
            .leftJoin(DSL.lateral(origin))
            .on(DSL.noCondition()),
        RUN_EVENT.VERSION,
        Stream.concat(RunEventRows.LARGE.stream(), Stream.of(RUN.INPUT_JSON, RUN.INPUT_BYTES))
            .toList());
  }

  Page<RunEvent, Long> events(long after, int size) throws SQLException {
    var events = new ArrayList<RunEvent>();
    var isMore = new boolean[1];
    var pipeline = session.pipeline();
    pipeline.query(
        EVENTS,
        List.of(id.workspace().name(), id.uuid(), after, after, size + 1),
        row -> {
          if (SizeBoundedSelect.isTruncated(row)) {
            isMore[0] = true;
          } else {
            RunEventRows.events(id, row).stream()
                .filter(event -> event.version() > after)
                .forEach(events::add);
          }
        });
    pipeline.run();
    var page = events.subList(0, Math.min(size, events.size()));
    return new Page<>(
        page,
        isMore[0] || events.size() > size
            ? Optional.of(page.getLast().version())
            : Optional.empty());
  }

  Optional<RunEvent> endedBy(TaskClaim claim) throws SQLException {
    var found = new ArrayList<RunEvent>(1);
    var pipeline = session.pipeline();
    pipeline.query(
        ENDED_BY,
        List.of(id.workspace().name(), id.uuid(), claim.nonce(), claim.step()),
        row -> found.add(RunEventRows.event(id, row)));
    pipeline.run();
    return found.stream().findFirst();
  }

  boolean isReopened(String requestId) throws SQLException {
    var found = new boolean[1];
    var pipeline = session.pipeline();
    pipeline.query(
        REOPENED, List.of(id.workspace().name(), id.uuid(), requestId), _ -> found[0] = true);
    pipeline.run();
    return found[0];
  }

  /** Returns the creations of the tokens that the run did not give up. */
  public List<RunChange.HookCreated> tokens() throws SQLException {
    var tokens = new LinkedHashMap<UUID, RunChange.HookCreated>();
    var pipeline = session.pipeline();
    pipeline.query(
        TOKENS,
        List.of(id.workspace().name(), id.uuid()),
        row -> {
          switch (RunEventRows.event(id, row).change()) {
            case RunChange.HookCreated created -> tokens.put(created.hook(), created);
            case RunChange.HookDisposed(var hook, _) -> tokens.remove(hook);
            default -> throw new IllegalStateException("unexpected type of event");
          }
        });
    pipeline.run();
    return List.copyOf(tokens.values());
  }
}
