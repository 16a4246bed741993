package dev.hapax.application.run;

import dev.hapax.domain.Workspace;

/** A worker, by the name it polls with. */
record WorkerId(Workspace workspace, String name) {}
