/**
 * Janitors, which free stuck entities: entities whose holder let its lease expire. The sweep of a
 * hosted janitor reverts them. A remote one is a module, which polls for recoveries and decides.
 */
@NullMarked
package dev.hapax.application.janitor;

import org.jspecify.annotations.NullMarked;
