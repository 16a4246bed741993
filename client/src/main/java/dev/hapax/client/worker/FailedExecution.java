package dev.hapax.client.worker;

import dev.hapax.client.WorkFailure;
import org.jspecify.annotations.Nullable;

/** The failure of an execution that ended before its code did. */
final class FailedExecution extends WorkFailure {

  private final transient TaskVerdict verdict;

  FailedExecution(TaskVerdict verdict, @Nullable Throwable cause) {
    super(verdict.kind(), verdict.failure().getCode(), verdict.failure().getMessage(), cause);
    this.verdict = verdict;
  }

  TaskVerdict verdict() {
    return verdict;
  }
}
