/**
 * Running asynchronous work in an order that a seed decides, so that a missing dependency is found
 * by trying seeds and shown again by repeating one.
 */
@NullMarked
package dev.reprise.softgpu.simulation;

import org.jspecify.annotations.NullMarked;
