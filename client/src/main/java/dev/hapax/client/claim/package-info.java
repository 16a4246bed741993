/**
 * Claims: actions on entities, one holder at a time, and the janitors that recover entities of
 * expired holders. Start with {@link dev.hapax.client.claim.Claims}.
 */
@NullMarked
package dev.hapax.client.claim;

import org.jspecify.annotations.NullMarked;
