@NullMarked
package dev.reprise.llama;

import org.jspecify.annotations.NullMarked;
