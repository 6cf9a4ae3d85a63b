/**
 * Choice of kernel variants by measurement: at warm-up only, within a time, and kept in files.
 *
 * <p>All variants of a shape give the same bits, so that what was chosen never shows in a result.
 *
 * <pre>{@code
 * LlamaModel model = LlamaModel.load(device, file);
 * AutotuneReport report = Autotuner.warmUp(model, options, AutotuneOptions.cachedIn(folder));
 * }</pre>
 */
@NullMarked
package dev.reprise.graph.autotune;

import org.jspecify.annotations.NullMarked;
