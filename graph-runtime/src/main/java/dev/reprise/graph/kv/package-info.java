/**
 * The paged KV pool: blocks with reference counts and generations, and the sequences that hold
 * them.
 */
@NullMarked
package dev.reprise.graph.kv;

import org.jspecify.annotations.NullMarked;
