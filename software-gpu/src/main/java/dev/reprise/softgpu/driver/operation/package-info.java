/** What a stream or a graph node does: launches, copies, fills, host functions. */
@NullMarked
package dev.reprise.softgpu.driver.operation;

import org.jspecify.annotations.NullMarked;
