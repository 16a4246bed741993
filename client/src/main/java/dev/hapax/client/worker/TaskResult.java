package dev.hapax.client.worker;

/** How a {@link TaskHandler} leaves its step. To fail, it throws. */
public sealed interface TaskResult permits Completion, Suspension, Release {}
