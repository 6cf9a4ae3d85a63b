@NullMarked
package dev.reprise.cuda;

import org.jspecify.annotations.NullMarked;
