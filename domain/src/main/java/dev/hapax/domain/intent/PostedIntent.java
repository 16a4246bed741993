package dev.hapax.domain.intent;

/**
 * An intent that was found in the inbox.
 *
 * @param number rises: an intent that was posted after another was committed has a higher one
 * @param size the bytes of its payloads
 */
public record PostedIntent(
    IntentId id, long number, Intent.Posted posted, IntentRequest request, int size) {}
