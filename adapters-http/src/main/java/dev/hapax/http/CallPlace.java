package dev.hapax.http;

import java.util.Locale;

/** The place of one request among those that are open. Its thread is that of its connection. */
final class CallPlace {
  private static final int TOO_MANY = 429;

  private final NetworkPlaces places;
  private final String network;
  private boolean isTaken;

  CallPlace(NetworkPlaces places, String network) {
    this.places = places;
    this.network = network;
  }

  void take() throws RefusedRequestException {
    if (!places.take(network, 1)) {
      throw new RefusedRequestException(
          TOO_MANY,
          new ConnectError(
              ConnectCode.RESOURCE_EXHAUSTED,
              String.format(
                  Locale.ROOT,
                  "too many HTTP requests are open: at most %d, and %d of one address; retry later",
                  places.total(),
                  places.share())),
          "Retry-After",
          "1");
    }
    isTaken = true;
  }

  /** Frees the place if it is taken. */
  void free() {
    if (isTaken) {
      isTaken = false;
      places.free(network, 1);
    }
  }
}
