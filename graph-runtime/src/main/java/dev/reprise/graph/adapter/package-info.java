/**
 * Low-rank adapters in slots at fixed device addresses: which one a row has is data, so that no
 * graph is captured again to switch.
 */
@NullMarked
package dev.reprise.graph.adapter;

import org.jspecify.annotations.NullMarked;
