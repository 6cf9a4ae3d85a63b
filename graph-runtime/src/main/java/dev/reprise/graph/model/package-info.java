/**
 * The performance model: what sizes, bandwidths and launch costs alone say about a decode step.
 * Pure functions; every time they give is a prediction, and a bound where they say so.
 */
@NullMarked
package dev.reprise.graph.model;

import org.jspecify.annotations.NullMarked;
