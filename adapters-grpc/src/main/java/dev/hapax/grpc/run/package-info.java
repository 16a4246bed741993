/** RunService and WorkerService. */
@NullMarked
package dev.hapax.grpc.run;

import org.jspecify.annotations.NullMarked;
