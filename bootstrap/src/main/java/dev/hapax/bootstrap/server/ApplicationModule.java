package dev.hapax.bootstrap.server;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.operation.Operations;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.OperationReads;
import java.util.concurrent.ScheduledExecutorService;

/** One service for each feature. */
final class ApplicationModule extends AbstractModule {
  private final ScheduledExecutorService timer;

  ApplicationModule(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  @Provides
  @Singleton
  Operations operations(Ledger ledger, OperationReads reads) {
    return new Operations(ledger, reads, timer);
  }

  @Provides
  @Singleton
  OperationSweep operationSweep(OperationReads reads, Ledger ledger) {
    return new OperationSweep(reads, ledger);
  }
}
