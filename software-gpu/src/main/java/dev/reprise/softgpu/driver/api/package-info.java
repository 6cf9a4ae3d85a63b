/** The functions of the driver API, one class for each subject of the CUDA manual. */
@NullMarked
package dev.reprise.softgpu.driver.api;

import org.jspecify.annotations.NullMarked;
