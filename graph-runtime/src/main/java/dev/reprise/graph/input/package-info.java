/**
 * Static inputs of a step: their place on the device, their padding, and the staging that writes
 * them.
 */
@NullMarked
package dev.reprise.graph.input;

import org.jspecify.annotations.NullMarked;
