/**
 * Transport, leases and shutdown that the other packages share. Not part of the API: any release
 * may change it.
 */
@NullMarked
package dev.hapax.client.internal;

import org.jspecify.annotations.NullMarked;
