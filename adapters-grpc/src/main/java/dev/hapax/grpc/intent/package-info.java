/** IntentService. */
@NullMarked
package dev.hapax.grpc.intent;

import org.jspecify.annotations.NullMarked;
