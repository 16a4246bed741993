package dev.hapax.outbox;

import com.google.protobuf.Message;
import dev.hapax.client.Hapax;

/**
 * The call that carries out an intent. The same call again has no further effect.
 *
 * @param type the default instance of the response
 */
record OutboxCall<Q extends Message, R extends Message>(Q request, R type) {

  R send(Hapax hapax) {
    return hapax.call(request, type);
  }
}
