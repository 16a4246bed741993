package dev.hapax.postgres.read;

import java.util.concurrent.CompletableFuture;

/** Runs reads over all workspaces, on connections whose role may read them. */
public record WideReads(ReadExecutor executor) {

  /** Runs a read as {@link ReadExecutor#submit} does. */
  public <T> CompletableFuture<T> submit(ReadExecutor.Read<T> read) {
    return executor.submitUnscoped(read);
  }
}
