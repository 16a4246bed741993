package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.entity.EntityTable;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.lifecycle.LifecycleCache;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.run.RunTable;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The SQL function that completes several records locks them as servers do. */
@Tag("D18")
class CompletionLockOrderIT {
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final Workspace WORKSPACE = new Workspace("orders");
  private static final int MANY = 2_000;

  /** Characters at the bounds of the ranges that UTF-8 and UTF-16 sort differently. */
  private static final int[] CHARACTERS = {
    ' ', '0', 'A', 'a', '~', 0xA0, 0xE9, 0x7FF, 0x800, 0x20AC, 0xD7FF, 0xE000, 0xEFFF, 0xF000,
    0xFFFD, 0x1_0000, 0x1_F600, 0x3_FFFF, 0x4_0000, 0xF_FFFD, 0x10_0000, 0x10_FFFD
  };

  private final Random random = new Random(1);

  @BeforeAll
  static void migrate() {
    Migrations.migrate(DATABASE.dataSource());
  }

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  /** The id of the claim on a record, as the API prints it, with zeros for what is not its name. */
  private static String claimId(String prefix, byte[] bytes) {
    return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String claimId(EntityId entity) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.write(new byte[16]);
      writeName(out, entity.workspace().name());
      out.write(new byte[25]);
      writeName(out, entity.lifecycle());
      writeName(out, entity.id());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return claimId("action_", bytes.toByteArray());
  }

  private static void writeName(DataOutputStream out, String name) throws IOException {
    var bytes = name.getBytes(StandardCharsets.UTF_8);
    out.writeShort(bytes.length);
    out.write(bytes);
  }

  private static String claimId(String prefix, UUID id) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeLong(id.getMostSignificantBits());
      out.writeLong(id.getLeastSignificantBits());
      out.write(new byte[18]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return claimId(prefix, bytes.toByteArray());
  }

  private String name() {
    var name = new StringBuilder();
    for (var length = 1 + random.nextInt(4); length > 0; length--) {
      name.appendCodePoint(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    return name.toString();
  }

  private UUID uuid() {
    return new UUID(random.nextLong(), random.nextLong());
  }

  private static List<String> sorted(Collection<String> claims) throws SQLException {
    try (var connection = DATABASE.connect();
        var statement =
            connection.prepareStatement(
                "SELECT c FROM unnest(?) c ORDER BY hapax.completion_order(c) COLLATE \"C\"")) {
      statement.setArray(1, connection.createArrayOf("text", claims.toArray()));
      var sorted = new ArrayList<String>();
      try (var rows = statement.executeQuery()) {
        while (rows.next()) {
          sorted.add(rows.getString(1));
        }
      }
      return sorted;
    }
  }

  private static <K extends RecordKey<R>, R> void assertSame(
      RecordTable<K, R> table, Collection<K> keys, Function<K, String> claimId)
      throws SQLException {
    var byClaim = new HashMap<String, K>();
    keys.forEach(key -> byClaim.put(claimId.apply(key), key));
    assertThat(byClaim).hasSizeGreaterThan(MANY / 2);
    var inSql = sorted(byClaim.keySet()).stream().map(byClaim::get).toList();
    assertThat(inSql).isEqualTo(keys.stream().sorted(table.lockOrder()).toList());
  }

  @Test
  @DisplayName("given entities with any names, then both lock them in the same order")
  void entities() throws SQLException {
    var keys = new HashSet<EntityId>();
    for (var i = 0; i < MANY; i++) {
      keys.add(new EntityId(WORKSPACE, name(), name()));
    }
    assertSame(new EntityTable(), keys, CompletionLockOrderIT::claimId);
  }

  @Test
  @DisplayName("given runs with any ids, then both lock them in the same order")
  void runs() throws SQLException {
    var keys = new HashSet<RunId>();
    for (var i = 0; i < MANY; i++) {
      keys.add(new RunId(WORKSPACE, uuid()));
    }
    assertSame(
        new RunTable(new DefinitionCache(), new DatabaseClock()),
        keys,
        key -> claimId("task_", key.uuid()));
  }

  @Test
  @DisplayName("given operations with any ids, then both lock them in the same order")
  void operations() throws SQLException {
    var keys = new HashSet<OperationId>();
    for (var i = 0; i < MANY; i++) {
      keys.add(new OperationId(WORKSPACE, uuid()));
    }
    assertSame(new OperationTable(partitions()), keys, key -> claimId("op_", key.hash()));
  }

  private static ResultPartitions partitions() {
    return new ResultPartitions(
        new MaintenanceConnections(DATABASE.dataSource(), SessionRoles.LOGIN));
  }

  @Test
  @DisplayName("given records of all kinds, then those of each kind are in the place of its table")
  void kinds() throws SQLException {
    var claims = new HashMap<Class<?>, List<String>>();
    for (var i = 0; i < 100; i++) {
      claimOf(claims, OperationId.class, claimId("op_", uuid()));
      claimOf(claims, EntityId.class, claimId(new EntityId(WORKSPACE, name(), name())));
      claimOf(claims, RunId.class, claimId("task_", uuid()));
    }
    var inOrder =
        PostgresStore.tables(
                partitions(), new LifecycleCache(), new DefinitionCache(), new DatabaseClock())
            .stream()
            .flatMap(table -> claims.getOrDefault(table.keys(), List.of()).stream())
            .toList();
    assertThat(inOrder).hasSize(300);
    var shuffled = new ArrayList<>(inOrder);
    Collections.shuffle(shuffled, random);
    assertThat(sorted(shuffled).stream().map(CompletionLockOrderIT::kind).toList())
        .isEqualTo(inOrder.stream().map(CompletionLockOrderIT::kind).toList());
  }

  private static void claimOf(Map<Class<?>, List<String>> claims, Class<?> key, String claim) {
    claims.computeIfAbsent(key, _ -> new ArrayList<>()).add(claim);
  }

  private static String kind(String claim) {
    return claim.substring(0, claim.indexOf('_'));
  }
}
