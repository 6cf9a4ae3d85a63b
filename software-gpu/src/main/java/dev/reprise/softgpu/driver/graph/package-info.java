/** Graphs, their nodes and edges, and the executable form they are instantiated to. */
@NullMarked
package dev.reprise.softgpu.driver.graph;

import org.jspecify.annotations.NullMarked;
