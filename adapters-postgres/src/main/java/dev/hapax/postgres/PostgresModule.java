package dev.hapax.postgres;

import com.google.inject.AbstractModule;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.DatabaseReads;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyUses;

/** Binds the ports of the domain to an open store. */
public final class PostgresModule extends AbstractModule {
  private final PostgresStore store;

  public PostgresModule(PostgresStore store) {
    this.store = store;
  }

  @Override
  protected void configure() {
    bind(Ledger.class).toInstance(store.ledger());
    bind(OperationReads.class).toInstance(store.operations());
    bind(DefinitionReads.class).toInstance(store.definitions());
    bind(RunReads.class).toInstance(store.runs());
    bind(HookReads.class).toInstance(store.hooks());
    bind(LimitReads.class).toInstance(store.limits());
    bind(IntentReads.class).toInstance(store.intents());
    bind(LifecycleReads.class).toInstance(store.lifecycles());
    bind(EntityReads.class).toInstance(store.entities());
    bind(PartsGate.class).toInstance(store.partsGate());
    bind(TurnsGate.class).toInstance(store.turnsGate());
    bind(DatabaseReads.class).toInstance(store.databaseReads());
    bind(BacklogReads.class).toInstance(store.backlog());
    bind(JanitorReads.class).toInstance(store.janitors());
    bind(ApiKeyReads.class).toInstance(store.apiKeys());
    bind(ApiKeyUses.class).toInstance(store.apiKeyUses());
    bind(KeyedIds.class).toInstance(store.keyedIds());
  }
}
