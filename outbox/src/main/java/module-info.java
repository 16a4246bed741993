/** Sends intents from a database of the application. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.hapax.outbox {
  requires transitive dev.hapax.client;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.hapax.outbox;
}
