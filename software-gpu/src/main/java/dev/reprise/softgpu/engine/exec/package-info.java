/**
 * Runs decoded programs: warps of 32 lanes, their convergence groups, blocks, barriers and memory
 * accesses.
 */
@NullMarked
package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.NullMarked;
