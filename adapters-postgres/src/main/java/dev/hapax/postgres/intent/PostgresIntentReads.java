package dev.hapax.postgres.intent;

import static dev.hapax.postgres.schema.Tables.INBOX;
import static dev.hapax.postgres.schema.Tables.INTENT_OUTCOME;

import dev.hapax.domain.Page;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.ledger.WorkspaceScope;
import dev.hapax.postgres.read.GroupedReads;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.WideReads;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Reads intents, posted and taken. */
public final class PostgresIntentReads implements IntentReads {
  private static final List<Field<?>> POSTED =
      List.of(
          INBOX.WORKSPACE,
          INBOX.ID,
          INBOX.VERB,
          INBOX.ROLE,
          INBOX.POSTED_AT,
          INBOX.TRIES,
          INBOX.NOT_BEFORE);

  private static final List<Field<?>> OUTCOME =
      List.of(
          INTENT_OUTCOME.TAKEN_AT,
          INTENT_OUTCOME.DISPOSITION,
          INTENT_OUTCOME.SIGNAL_DISPOSITION,
          INTENT_OUTCOME.RUN_ID,
          INTENT_OUTCOME.OWNER_ID,
          INTENT_OUTCOME.REASON,
          INTENT_OUTCOME.DETAIL);

  private static final UnnestRows<IntentId> KEYS = new UnnestRows<>("k", IntentTable.key(id -> id));

  private static final String FIND = RenderedSql.text(find());

  private static final String IN_INBOX =
      RenderedSql.text(
          DSL.selectFrom(INBOX).where(INBOX.WORKSPACE.eq((String) null), INBOX.ID.eq((UUID) null)));

  private static final String TAKEN =
      RenderedSql.text(
          KEYS.each(DSL.select(INTENT_OUTCOME.WORKSPACE).from(INTENT_OUTCOME).where(isOutcome())));

  private final ReadExecutor reads;
  private final WideReads wide;
  private final GroupedReads<IntentId, Found> found;

  public PostgresIntentReads(ReadExecutor reads, WideReads wide) {
    this.reads = reads;
    this.wide = wide;
    this.found = new GroupedReads<>(reads, IntentId::workspace, PostgresIntentReads::find);
  }

  private static Select<?> posted(Condition which) {
    return DSL.select(POSTED).select(nulls(OUTCOME)).from(INBOX).where(which);
  }

  private static Select<?> taken(Condition which) {
    return DSL.select(
            POSTED.stream()
                .<Field<?>>map(
                    field ->
                        field.equals(INBOX.NOT_BEFORE)
                            ? DSL.castNull(INBOX.NOT_BEFORE).as(INBOX.NOT_BEFORE.getName())
                            : INTENT_OUTCOME.field(field.getName()))
                .toList())
        .select(OUTCOME)
        .from(INTENT_OUTCOME)
        .where(which);
  }

  private static List<Field<?>> nulls(List<Field<?>> fields) {
    return fields.stream().<Field<?>>map(field -> DSL.castNull(field).as(field.getName())).toList();
  }

  @SuppressWarnings("unchecked") // both have the columns of POSTED and OUTCOME
  private static Select<?> find() {
    var inbox =
        (Select<org.jooq.Record>)
            posted(
                INBOX.WORKSPACE.eq(KEYS.get(INBOX.WORKSPACE)).and(INBOX.ID.eq(KEYS.get(INBOX.ID))));
    return KEYS.each(inbox.unionAll((Select<org.jooq.Record>) taken(isOutcome())));
  }

  private static Condition isOutcome() {
    return INTENT_OUTCOME
        .WORKSPACE
        .eq(KEYS.get(INBOX.WORKSPACE))
        .and(INTENT_OUTCOME.ID.eq(KEYS.get(INBOX.ID)));
  }

  @Override
  public CompletableFuture<InboxWorkspaces> workspaces(Optional<String> since) {
    return wide.submit(session -> InboxScan.workspaces(session, since));
  }

  @Override
  public CompletableFuture<InboxPage> scan(InboxPosition position, int atMost) {
    return wide.submit(session -> InboxScan.scan(session, position, atMost));
  }

  @Override
  public CompletableFuture<Optional<Found>> find(IntentId id) {
    return found.find(id);
  }

  private static Map<IntentId, Found> find(ReadSession session, List<IntentId> ids)
      throws SQLException {
    var all = new HashMap<IntentId, Found>();
    var pipeline = session.pipeline();
    pipeline.query(
        FIND,
        KEYS.parameters(ids),
        row -> {
          var id = LoadedKey.of(row, ids);
          all.put(id, new Found(id, IntentRows.either(id.workspace(), new Row(row))));
        });
    pipeline.run();
    return all;
  }

  @Override
  public CompletableFuture<Optional<PostedIntent>> posted(IntentId id) {
    return reads.submit(
        id.workspace(),
        session -> {
          var posted = new ArrayList<PostedIntent>(1);
          var pipeline = session.pipeline();
          pipeline.query(
              IN_INBOX,
              List.of(id.workspace().name(), id.uuid()),
              row -> posted.add(RequestRows.intent(new Row(row))));
          pipeline.run();
          return posted.stream().findFirst();
        });
  }

  @Override
  public CompletableFuture<Set<IntentId>> taken(Set<IntentId> ids) {
    var asked = List.copyOf(ids);
    return reads.submit(
        WorkspaceScope.of(asked.stream().map(IntentId::workspace).toList()),
        session -> {
          var taken = new HashSet<IntentId>();
          var pipeline = session.pipeline();
          pipeline.query(TAKEN, KEYS.parameters(asked), row -> taken.add(LoadedKey.of(row, asked)));
          pipeline.run();
          return taken;
        });
  }

  @Override
  public CompletableFuture<Page<Found, UUID>> list(Query query) {
    return reads.submit(query.workspace(), session -> list(session, query));
  }

  private static Page<Found, UUID> list(ReadSession session, Query query) throws SQLException {
    var select = select(query);
    var page = new ArrayList<Found>();
    var pipeline = session.pipeline();
    pipeline.query(
        RenderedSql.text(select),
        select.getBindValues(),
        found -> {
          var row = new Row(found);
          var id = new IntentId(query.workspace(), row.uuid(INBOX.ID));
          page.add(new Found(id, IntentRows.either(query.workspace(), row)));
        });
    pipeline.runPlannedAnew();
    return page.size() <= query.size()
        ? new Page<>(page, Optional.empty())
        : new Page<>(
            page.subList(0, query.size()), Optional.of(page.get(query.size() - 1).id().uuid()));
  }

  private static Select<?> select(Query query) {
    var workspace = query.workspace().name();
    var after = query.after();
    return switch (query.state()) {
      case POSTED ->
          DSL.selectFrom(
                  posted(
                          DSL.and(
                              INBOX.WORKSPACE.eq(workspace),
                              after.map(INBOX.ID::gt).orElse(DSL.noCondition())))
                      .asTable("i"))
              .orderBy(DSL.field(DSL.name("i", "id")))
              .limit(DSL.inline(query.size() + 1));
      case FAILED ->
          DSL.selectFrom(
                  taken(
                          DSL.and(
                              INTENT_OUTCOME.WORKSPACE.eq(workspace),
                              INTENT_OUTCOME.REASON.isNotNull(),
                              after.map(INTENT_OUTCOME.ID::lt).orElse(DSL.noCondition())))
                      .asTable("i"))
              .orderBy(DSL.field(DSL.name("i", "id")).desc())
              .limit(DSL.inline(query.size() + 1));
    };
  }
}
