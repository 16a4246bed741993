/**
 * The methods of the API, without generated stubs. Not part of the API: any release may change it.
 */
@NullMarked
package dev.hapax.client.internal.rpc;

import org.jspecify.annotations.NullMarked;
