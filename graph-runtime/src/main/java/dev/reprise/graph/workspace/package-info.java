/** Workspaces: one device buffer for the intermediate values of a step, planned by name. */
@NullMarked
package dev.reprise.graph.workspace;

import org.jspecify.annotations.NullMarked;
