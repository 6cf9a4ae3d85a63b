/** One scheduler that decides, by a seed, which piece of asynchronous work goes next. */
@NullMarked
package dev.reprise.softgpu.driver.simulation;

import org.jspecify.annotations.NullMarked;
