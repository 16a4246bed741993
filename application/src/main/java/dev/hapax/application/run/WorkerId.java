package dev.hapax.application.run;

import dev.hapax.domain.Workspace;

/** A worker, identified by the name with which it polls. */
record WorkerId(Workspace workspace, String name) {}
