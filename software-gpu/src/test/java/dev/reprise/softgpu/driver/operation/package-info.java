/** Tests of what the streams execute, without a driver around it. */
@NullMarked
package dev.reprise.softgpu.driver.operation;

import org.jspecify.annotations.NullMarked;
