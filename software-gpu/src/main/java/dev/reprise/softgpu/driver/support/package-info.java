/** What every part of the driver uses: result codes, handles, access to the caller's memory. */
@NullMarked
package dev.reprise.softgpu.driver.support;

import org.jspecify.annotations.NullMarked;
