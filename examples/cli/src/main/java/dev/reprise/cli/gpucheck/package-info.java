/**
 * The check of a device: every kernel against its reference, the model's tokens against golden
 * ones, and what launches, graphs, decoding and copies cost, as one report.
 */
@NullMarked
package dev.reprise.cli.gpucheck;

import org.jspecify.annotations.NullMarked;
