/**
 * Hooks: tokens by which other systems reach a run. Start with {@link dev.hapax.client.hook.Hooks}.
 */
@NullMarked
package dev.hapax.client.hook;

import org.jspecify.annotations.NullMarked;
