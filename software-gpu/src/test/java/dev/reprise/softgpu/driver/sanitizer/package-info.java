@NullMarked
package dev.reprise.softgpu.driver.sanitizer;

import org.jspecify.annotations.NullMarked;
